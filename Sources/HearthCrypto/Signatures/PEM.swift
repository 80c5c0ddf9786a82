// Keys and certificates as text (RFC 7468).

/// A block of a PEM text.
///
///     -----BEGIN label-----
///     base64 of the bytes, in lines
///     -----END label-----
struct PEMBlock {
    let label: String
    let bytes: [UInt8]

    /// Reads all blocks of `text`; what stands around them is not looked at.
    ///
    /// Blocks with headers are refused, as encrypted keys have them.
    static func blocks(in text: String) throws(KeyFault) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, base64: String)?
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = trimmed(line)
            if let label = label(of: line, after: "-----BEGIN ") {
                guard open == nil else { throw .damagedBlock }
                open = (label, "")
            } else if let block = open, let label = label(of: line, after: "-----END ") {
                guard label == block.label else { throw .damagedBlock }
                blocks.append(PEMBlock(label: label, bytes: try decode(block.base64)))
                open = nil
            } else {
                open?.base64 += line
            }
        }
        guard open == nil else { throw .damagedBlock }
        guard !blocks.isEmpty else { throw .noBlock }
        return blocks
    }

    /// The block as text in lines of 64 characters.
    var text: String {
        let letters = Array(Base64.standard.encode(bytes).utf8)
        let lines = stride(from: 0, to: letters.count, by: 64).map { start in
            String(decoding: letters[start..<min(start + 64, letters.count)], as: UTF8.self) + "\n"
        }
        return "-----BEGIN \(label)-----\n" + lines.joined() + "-----END \(label)-----\n"
    }

    private static func trimmed(_ line: Substring.UTF8View) -> String {
        let end = line.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: end.reversed().drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private static func label(of line: String, after beginning: String) -> String? {
        guard line.hasPrefix(beginning), line.hasSuffix("-----"), line.utf8.count > beginning.utf8.count + 5
        else { return nil }
        return String(line.dropFirst(beginning.count).dropLast(5))
    }

    private static func decode(_ base64: String) throws(KeyFault) -> [UInt8] {
        do throws(Base64Error) {
            return try Base64.standard.decode(base64)
        } catch {
            throw .damagedBlock
        }
    }
}
