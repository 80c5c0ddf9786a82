// Finds the bytes of a body in the bytes of a connection, so that they can be handed on while they arrive.

/// What one step of a decoder found.
public struct HTTPBodyPiece: Equatable, Sendable {
    /// How many bytes of the input are done with; the caller drops them after it has used `bytes`.
    public let consumed: Int
    /// Where in the input the bytes of the body are; may be empty.
    public let bytes: Range<Int>
    /// Whether the body is complete. The next message begins after `consumed` bytes.
    public let isLast: Bool
}

/// Reads one body, by its length or by its chunks. Extensions of chunks are ignored and trailers dropped,
/// both bounded.
///
///     5;name=value\r\n  h e l l o  \r\n  0\r\n  Trailer: dropped\r\n  \r\n
///     └ size line ────┘└─ data ──┘└end┘ └ size ┘└ trailer ──────┘└ last ┘
public struct HTTPBodyDecoder: Sendable {
    private enum State {
        case data(left: Int)
        case chunkSize
        case chunkData(left: Int)
        case chunkEnd
        case trailer
        case untilClose
        case done
    }

    private var state: State
    private let limits: HTTPLimits
    private var bytesAllowed: Int
    private var extensionBytesAllowed: Int
    private var trailerBytesAllowed: Int

    /// Decodes nothing: there is no body.
    public static let empty = HTTPBodyDecoder()

    private init() {
        limits = HTTPLimits()
        state = .done
        bytesAllowed = 0
        extensionBytesAllowed = 0
        trailerBytesAllowed = 0
    }

    /// Starts before the first byte of a body.
    /// - Throws: 413 when the length is already known to be beyond `limit` bytes.
    public init(
        _ framing: HTTPBodyFraming, limit: Int, limits: HTTPLimits = HTTPLimits()
    ) throws(HTTPParseError) {
        self.limits = limits
        bytesAllowed = limit
        extensionBytesAllowed = limits.extensionBytes
        trailerBytesAllowed = limits.trailerBytes
        switch framing {
        case .none: state = .done
        case .length(let length):
            guard length <= limit else { throw .bodyTooLarge }
            state = length == 0 ? .done : .data(left: length)
        case .chunked: state = .chunkSize
        case .untilClose: state = .untilClose
        }
    }

    /// Looks at the front of the unread input. Nothing consumed and not the last piece: more input is needed.
    ///
    /// Call it in a loop, dropping what was consumed; each call moves at least one step on.
    /// - Throws: 400 for malformed chunks, 413 when a body by chunks or until close grows beyond the limit,
    ///   431 for long trailers. The connection must be closed.
    public mutating func next(in input: UnsafeRawBufferPointer) throws(HTTPParseError) -> HTTPBodyPiece {
        switch state {
        case .done: HTTPBodyPiece(consumed: 0, bytes: 0..<0, isLast: true)
        case .data(let left): takeData(left, in: input)
        case .chunkSize: try takeChunkSize(in: input)
        case .chunkData(let left): takeChunkData(left, in: input)
        case .chunkEnd: try takeChunkEnd(in: input)
        case .trailer: try takeTrailer(in: input)
        case .untilClose: try takeRest(in: input)
        }
    }

    /// Whether the connection may end here: the body is complete, or its end is the connection's.
    public var mayEnd: Bool {
        switch state {
        case .done, .untilClose: true
        default: false
        }
    }

    private static let nothing = HTTPBodyPiece(consumed: 0, bytes: 0..<0, isLast: false)

    private mutating func takeData(_ left: Int, in input: UnsafeRawBufferPointer) -> HTTPBodyPiece {
        let count = min(left, input.count)
        state = count == left ? .done : .data(left: left - count)
        return HTTPBodyPiece(consumed: count, bytes: 0..<count, isLast: count == left)
    }

    private mutating func takeChunkData(_ left: Int, in input: UnsafeRawBufferPointer) -> HTTPBodyPiece {
        let count = min(left, input.count)
        state = count == left ? .chunkEnd : .chunkData(left: left - count)
        return HTTPBodyPiece(consumed: count, bytes: 0..<count, isLast: false)
    }

    private mutating func takeRest(in input: UnsafeRawBufferPointer) throws(HTTPParseError) -> HTTPBodyPiece {
        guard input.count <= bytesAllowed else { throw .bodyTooLarge }
        bytesAllowed -= input.count
        return HTTPBodyPiece(consumed: input.count, bytes: 0..<input.count, isLast: false)
    }

    private mutating func takeChunkSize(in input: UnsafeRawBufferPointer) throws(HTTPParseError)
        -> HTTPBodyPiece
    {
        guard let line = try Self.line(in: input, limit: limits.chunkLineBytes, error: .badChunk) else {
            return Self.nothing
        }
        var size = 0
        var index = 0
        while index < line.count, let digit = input[index].hexDigitValue {
            guard index < 15 else { throw .badChunk }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > 0 else { throw .badChunk }
        let rest = input.trimmingBlanks(index..<line.upperBound)
        guard rest.isEmpty || input[rest.lowerBound] == 0x3b, !input.hasControl(in: rest) else {
            throw .badChunk
        }
        guard rest.isEmpty == (index == line.upperBound) else { throw .badChunk }
        guard rest.count <= extensionBytesAllowed else { throw .badChunk }
        guard size <= bytesAllowed else { throw .bodyTooLarge }
        extensionBytesAllowed -= rest.count
        bytesAllowed -= size
        state = size == 0 ? .trailer : .chunkData(left: size)
        return HTTPBodyPiece(consumed: line.upperBound + 2, bytes: 0..<0, isLast: false)
    }

    private mutating func takeChunkEnd(in input: UnsafeRawBufferPointer) throws(HTTPParseError)
        -> HTTPBodyPiece
    {
        if input.count >= 1, input[0] != 0x0d { throw .badChunk }
        guard input.count >= 2 else { return Self.nothing }
        guard input[1] == 0x0a else { throw .badChunk }
        state = .chunkSize
        return HTTPBodyPiece(consumed: 2, bytes: 0..<0, isLast: false)
    }

    private mutating func takeTrailer(in input: UnsafeRawBufferPointer) throws(HTTPParseError)
        -> HTTPBodyPiece
    {
        guard let line = try Self.line(in: input, limit: trailerBytesAllowed, error: .headTooLarge) else {
            return Self.nothing
        }
        trailerBytesAllowed -= line.count + 2
        if line.isEmpty {
            state = .done
        } else {
            _ = try HTTPHeadScanner.field(in: input, line: line)
        }
        return HTTPBodyPiece(consumed: line.upperBound + 2, bytes: 0..<0, isLast: line.isEmpty)
    }

    /// Returns the line at the front of `input` without CR LF, or nil when its end has not arrived.
    private static func line(
        in input: UnsafeRawBufferPointer, limit: Int, error: HTTPParseError
    ) throws(HTTPParseError) -> Range<Int>? {
        let front = UnsafeRawBufferPointer(rebasing: input.prefix(limit))
        guard let end = front.lineFeed(from: 0) else {
            guard input.count < limit else { throw error }
            return nil
        }
        guard end > 0, input[end - 1] == 0x0d else { throw .bareLineFeed }
        return 0..<(end - 1)
    }
}
