// Texts of any kind as names of children.
import HearthCore

/// Makes keys of texts that may contain what keys must not.
enum AccountKey {
    /// `ann.b@chat.example` becomes `uann%2Eb@chat%2Eexample`: never like an integer, so that keys order as
    /// texts do; nil for a text that is too long.
    static func of(_ text: String) -> Key? {
        var bytes: [UInt8] = [UInt8(ascii: "u")]
        for byte in text.utf8 {
            switch byte {
            case 0..<0x20, 0x7F, UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["),
                UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: "%"):
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        guard bytes.count <= Key.byteLimit else { return nil }
        return bytes.withUnsafeBytes { Key(checked: $0) }
    }
}
