// The bytes that mean something in JSON, by name.

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let minus = UInt8(ascii: "-")
    static let point = UInt8(ascii: ".")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let space = UInt8(ascii: " ")
    static let lineFeed: UInt8 = 0x0A

    var isDigit: Bool { self &- .zero < 10 }

    /// The value of a hexadecimal digit of either case.
    var hexValue: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self) - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self) - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self) - 55
        default: nil
        }
    }
}
