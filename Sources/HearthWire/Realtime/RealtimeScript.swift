// What long-polling clients are answered with: scripts that call into their page.

/// Appends scripts. Source: wire-protocol.md §4.1, §4.3.
///
/// Every text that is put in is checked where it is read: numbers, and names of letters and digits. Messages
/// are JSON, with the two line ends escaped that old engines do not take inside of strings.
public enum RealtimeScript {
    /// Appends the functions that hand over to the page that loaded the script's frame.
    public static func appendFunctions(callback: String, to output: inout [UInt8]) {
        for name in ["pLPCommand", "pRTLPCB"] {
            output.append(
                contentsOf:
                    "function \(name)(){var f=parent.window[\"\(name)\(callback)\"];".utf8)
            output.append(contentsOf: "if(f)f.apply(null,arguments);}\n".utf8)
        }
    }

    /// Appends what tells a client who it is.
    public static func appendStart(_ identity: RealtimePoll.Identity, to output: inout [UInt8]) {
        output.append(contentsOf: "pLPCommand('start','\(identity.id)','\(identity.password)');\n".utf8)
    }

    /// Appends a response with messages, which may be none.
    ///
    /// - Parameter number: counted from 0 for each connection, without a gap.
    public static func append(_ messages: [[UInt8]], number: Int, to output: inout [UInt8]) {
        output.append("pRTLPCB(")
        output.append(decimal: number)
        output.append(",[")
        for (index, message) in messages.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(message, to: &output)
        }
        output.append("]);\n")
    }

    /// Appends what ends a connection: once the client has the responses up to a number, or at once.
    public static func appendClose(after number: Int?, to output: inout [UInt8]) {
        guard let number, number > 0 else { return output.append("pLPCommand('close');\n") }
        output.append("pLPCommand('close',")
        output.append(decimal: number)
        output.append(");\n")
    }

    /// A page that tells when it goes away.
    public static func page(_ identity: RealtimePoll.Identity) -> [UInt8] {
        let text = """
            <!DOCTYPE html>
            <html><head><meta charset="utf-8"><title></title><script>
            var isTold = false;
            function tell() {
              if (isTold) return;
              isTold = true;
              var address = "/.lp?disconn=t&id=\(identity.id)&pw=\(identity.password)";
              if (navigator.sendBeacon && navigator.sendBeacon(address)) return;
              var request = new XMLHttpRequest();
              request.open("GET", address, false);
              request.send();
            }
            addEventListener("pagehide", tell);
            addEventListener("unload", tell);
            </script></head><body></body></html>

            """
        return [UInt8](text.utf8)
    }

    private static func append(_ json: [UInt8], to output: inout [UInt8]) {
        guard json.contains(0xE2) else { return output.append(contentsOf: json) }
        var at = 0
        while at < json.count {
            if json[at] == 0xE2, at + 2 < json.count, json[at + 1] == 0x80, json[at + 2] & 0xFE == 0xA8 {
                output.append(json[at + 2] == 0xA8 ? "\\u2028" : "\\u2029")
                at += 3
            } else {
                output.append(json[at])
                at += 1
            }
        }
    }
}
