// The text of rules as it is told: as it was stored, or as strict JSON.

/// Texts around the rules.
enum RulesText {
    /// What a namespace without rules shows.
    static let none = Array("{\"rules\":{}}".utf8)
    /// The answer to rules that were taken.
    static let ok = Array("{\"status\":\"ok\"}".utf8)

    /// Turns rules text, which was checked when it was stored, into strict JSON: comments and commas
    /// before a closing bracket are dropped, raw line breaks in strings are escaped.
    static func strict(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): copyString(text, &index, &output)
            case UInt8(ascii: "/"): skipComment(text, &index)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                dropComma(&output)
                output.append(text[index])
                index += 1
            default:
                output.append(text[index])
                index += 1
            }
        }
        return output
    }

    private static func copyString(_ text: [UInt8], _ index: inout Int, _ output: inout [UInt8]) {
        output.append(text[index])
        index += 1
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case 0x0A: output += Array("\\n".utf8)
            case 0x0D: output += Array("\\r".utf8)
            case 0x09: output += Array("\\t".utf8)
            case UInt8(ascii: "\\"):
                output.append(byte)
                if index < text.count {
                    output.append(text[index])
                    index += 1
                }
            default:
                output.append(byte)
                if byte == UInt8(ascii: "\"") { return }
            }
        }
    }

    private static func skipComment(_ text: [UInt8], _ index: inout Int) {
        let isBlock = index + 1 < text.count && text[index + 1] == UInt8(ascii: "*")
        index += 2
        while index < text.count {
            if isBlock, text[index] == UInt8(ascii: "*"), index + 1 < text.count,
                text[index + 1] == UInt8(ascii: "/")
            {
                index += 2
                return
            }
            if !isBlock, text[index] == 0x0A { return }
            index += 1
        }
    }

    private static func dropComma(_ output: inout [UInt8]) {
        let end = output.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if let end, output[end] == UInt8(ascii: ",") { output.remove(at: end) }
    }
}
