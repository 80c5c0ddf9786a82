// Cuts the head of a message into lines and header fields, for both directions.

/// One header line, as byte offsets from the start of the head.
struct HTTPField: Sendable {
    var nameStart: UInt32
    var nameEnd: UInt32
    var valueStart: UInt32
    var valueEnd: UInt32

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}

/// Finds the lines of a head in input that grows; no byte is searched twice.
struct HTTPHeadScanner: Sendable {
    /// Where the line begins that is not complete yet.
    private(set) var lineStart = 0
    private var searched = 0

    /// Whether nothing of a head has been seen.
    var isFresh: Bool { searched == 0 }

    /// Returns the next line without its CR LF, or nil when its end has not arrived.
    mutating func nextLine(
        in input: UnsafeRawBufferPointer, limit: Int
    ) throws(HTTPParseError) -> Range<Int>? {
        guard let end = input.lineFeed(from: searched) else {
            searched = input.count
            guard input.count < limit else { throw .headTooLarge }
            return nil
        }
        guard end < limit else { throw .headTooLarge }
        guard end > lineStart, input[end &- 1] == 0x0d else { throw .bareLineFeed }
        let line = lineStart..<(end &- 1)
        lineStart = end &+ 1
        searched = lineStart
        return line
    }

    /// Takes a header line apart: name of token characters, colon, value without the blanks around it.
    static func field(
        in input: UnsafeRawBufferPointer, line: Range<Int>
    ) throws(HTTPParseError) -> HTTPField {
        if input[line.lowerBound].isBlank { throw .folding }
        var colon = line.lowerBound
        while colon < line.upperBound && input[colon].isTokenCharacter { colon &+= 1 }
        guard colon < line.upperBound, colon > line.lowerBound, input[colon] == 0x3a else { throw .badName }
        let value = input.trimmingBlanks(colon &+ 1..<line.upperBound)
        if input.hasControl(in: value) { throw .badValue }
        return HTTPField(
            nameStart: UInt32(line.lowerBound), nameEnd: UInt32(colon),
            valueStart: UInt32(value.lowerBound), valueEnd: UInt32(value.upperBound))
    }
}
