// From texts of a WebSocket to messages of the realtime protocol.

/// Puts together what a client sends in segments. Source: wire-protocol.md §2.1.
///
///     {"t":"d",…}          one message
///     3                    so many segments follow:
///     {"t":"d",…   …   …}  one message
///     0                    a sign of life, also between two segments
public struct RealtimeAssembly: Sendable {
    private let limit: Int
    /// Segments that have not come.
    private var missing = 0
    private var text: [UInt8] = []

    /// - Parameter limit: the most bytes of a whole message.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes of an unfinished message are held.
    public var heldByteCount: Int { text.count }

    /// Takes a text and returns the message that it completes.
    ///
    /// - Throws: `tooBig` for a message beyond the limit.
    public mutating func take(_ segment: consuming [UInt8]) throws(WebSocketError) -> [UInt8]? {
        if segment == [UInt8(ascii: "0")] { return nil }
        guard missing > 0 else {
            guard let count = Self.count(segment) else { return segment }
            missing = count
            return nil
        }
        guard text.count + segment.count <= limit else { throw .tooBig(limit: limit) }
        missing -= 1
        if text.isEmpty { text = segment } else { text.append(contentsOf: segment) }
        guard missing == 0 else { return nil }
        defer { text = [] }
        return text
    }

    /// How many segments a text announces, nil if it announces none.
    private static func count(_ text: [UInt8]) -> Int? {
        guard !text.isEmpty, text.count <= 6, text.allSatisfy(\.isDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
