// Numbers as the tree knows them, and how they are read from text.

/// A JSON number: 64-bit integers are kept exactly, everything else is a double.
public enum JSONNumber: Equatable, Sendable {
    /// Written without fraction and exponent, and within 64 bits.
    case integer(Int64)
    /// Written with a fraction or an exponent, or an integer beyond 64 bits. Finite, never negative zero.
    case double(Double)

    /// Reads a text that is exactly one number by JSON's grammar, without white space.
    ///
    /// - Throws: the first fault; the line is 1 and the column counts from the beginning of `text`.
    public init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        let end: Int
        switch NumberScan(at: 0, in: text, isFinal: true) {
        case .number(let number, let length): (self, end) = (number, length)
        case .incomplete:
            throw JSONError(reason: .unexpectedEnd(expected: .digit), at: text.count)
        case .fault(let reason, let at): throw JSONError(reason: reason, at: at)
        }
        guard end < text.count else { return }
        throw JSONError(reason: .unexpected(byte: text[end], expected: .nothing), at: end)
    }
}

extension JSONError {
    /// A fault in a text of one line of ASCII.
    fileprivate init(reason: Reason, at offset: Int) {
        self.init(reason: reason, place: JSONPlace(line: 1, column: offset + 1, offset: offset))
    }
}
