// Why a text is no JSON that we take, and where.

/// The first fault in a JSON text.
///
/// Its description names the place and the reason, for instance `line 3, column 14: expected ',' or '}'
/// after a member, found 'x'`, and never shows more of the text than one ASCII character.
public struct JSONError: Error, Equatable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// Where it is wrong.
    public let place: JSONPlace

    /// The faults a text can have.
    public enum Reason: Equatable, Sendable {
        /// A byte that cannot stand here.
        case unexpected(byte: UInt8, expected: Expectation)
        /// The text ends too early.
        case unexpectedEnd(expected: Expectation)
        /// The text begins with a byte order mark.
        case byteOrderMark
        /// A number such as `01`.
        case leadingZero
        /// A number beyond the range of a double, such as `1e999`.
        case numberOutOfRange
        /// A control character inside a string that is not written as an escape.
        case controlCharacter(byte: UInt8)
        /// A backslash followed by something that makes no escape.
        case unknownEscape(byte: UInt8)
        /// Half of a surrogate pair as `\u` escape without its other half. RFC 8259 leaves open what to do;
        /// it is refused here, since no UTF-8 text can hold it.
        case loneSurrogate
        /// Bytes that are no UTF-8: a stray or missing continuation byte, an overlong form, a surrogate, or
        /// a code point beyond U+10FFFF.
        case invalidUTF8
        /// More objects and arrays inside each other than `limit`.
        case tooDeep(limit: Int)
        /// A key of more than `limit` bytes.
        case keyTooLong(limit: Int)
        /// A string of more than `limit` bytes.
        case stringTooLong(limit: Int)
        /// A number written with more than `limit` bytes.
        case numberTooLong(limit: Int)
        /// A text of more than `limit` bytes.
        case textTooLong(limit: Int)
    }

    /// What could have stood where the fault is.
    public enum Expectation: Equatable, Sendable {
        /// Any value.
        case value
        /// The first element of an array, or its end.
        case valueOrArrayEnd
        /// A key, after a comma.
        case key
        /// The first key of an object, or its end.
        case keyOrObjectEnd
        /// The colon between key and value.
        case colon
        /// What may follow a member.
        case commaOrObjectEnd
        /// What may follow an element.
        case commaOrArrayEnd
        /// A digit of a number.
        case digit
        /// A digit of a `\u` escape.
        case hexDigit
        /// What follows a backslash.
        case escape
        /// The quote that ends a string.
        case closingQuote
        /// The rest of `true` or `false`, or of `null` where there is no truth value.
        case literal(Bool?)
        /// Nothing but white space, as the value is complete.
        case nothing
    }
}

extension JSONError: CustomStringConvertible {
    /// The place and the reason in one line.
    public var description: String { "\(place): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
    /// The reason without the place.
    public var description: String {
        switch self {
        case .unexpected(let byte, let expected): "expected \(expected), found \(shown(byte))"
        case .unexpectedEnd(let expected): "expected \(expected), but the text ends"
        case .byteOrderMark: "the text begins with a byte order mark; send UTF-8 without one"
        case .leadingZero: "a number must not have a leading zero"
        case .numberOutOfRange: "the number is beyond the range of a double (about 1.8e308)"
        case .controlCharacter(let byte):
            "control characters in strings must be escaped, found \(shown(byte))"
        case .unknownEscape(let byte): "no escape begins with a backslash and \(shown(byte))"
        case .loneSurrogate: "a \\u escape is half of a surrogate pair; both halves must follow each other"
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .tooDeep(let limit): "more than \(limit) objects and arrays inside each other"
        case .keyTooLong(let limit): "the key is longer than \(limit) bytes"
        case .stringTooLong(let limit): "the string is longer than \(limit) bytes"
        case .numberTooLong(let limit): "the number is written with more than \(limit) bytes"
        case .textTooLong(let limit): "the text is longer than \(limit) bytes"
        }
    }

    private func shown(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "'"): "a single quote"
        case 0x21...0x7E: "'\(Unicode.Scalar(byte))'"
        case 0x20: "a space"
        case 0x0A: "a line break"
        case 0x80...: "a character beyond ASCII"
        default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}

extension JSONError.Expectation: CustomStringConvertible {
    /// As it stands after "expected".
    public var description: String {
        switch self {
        case .value: "a value"
        case .valueOrArrayEnd: "a value or ']'"
        case .key: "a key in double quotes"
        case .keyOrObjectEnd: "a key in double quotes or '}'"
        case .colon: "':' after a key"
        case .commaOrObjectEnd: "',' or '}' after a member"
        case .commaOrArrayEnd: "',' or ']' after an element"
        case .digit: "a digit"
        case .hexDigit: "four hexadecimal digits after \\u"
        case .escape: "an escape after a backslash"
        case .closingQuote: "a double quote at the end of a string"
        case .literal(let value?): "'\(value)'"
        case .literal(nil): "'null'"
        case .nothing: "nothing after the value"
        }
    }
}
