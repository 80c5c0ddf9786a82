// Values of a cases file as strict JSON, so that they are read like any body.
import HearthCore

extension RelaxedJSON {
    /// The text, nil if this is something else.
    var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }

    /// `true`, `false`, `null` or a number as it is written, nil if this is something else.
    var word: String? {
        guard case .word(let word) = content else { return nil }
        return word
    }

    /// The value as JSON; `{"$now": MS}` becomes the time plus MS.
    func json(now: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, now: now)
        return bytes
    }

    private func write(to bytes: inout [UInt8], now: Int64) {
        switch content {
        case .word(let word): bytes += word.utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes, now: now)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            if members.count == 1, members[0].name == "$now", let offset = Int64(members[0].value.word ?? "")
            {
                bytes += String(now + offset).utf8
                return
            }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes, now: now)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte < 0x20 {
                let digits = String(byte, radix: 16)
                bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            } else {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    bytes.append(UInt8(ascii: "\\"))
                }
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
