// From the pieces that long-polling requests bring to messages.
import HearthCrypto

/// Puts messages together from their pieces, in the order of their numbers, whatever order they come in.
/// Source: wire-protocol.md §4.4.
public struct RealtimeUpload: Sendable {
    /// How far ahead a piece may come.
    private static let window = 1_000

    private let limit: Int
    private var early: [Int: RealtimePoll.Segment] = [:]
    private var next = 0
    private var text = ""
    /// Pieces that the message lacks which has begun; 0 between two messages.
    private var missing = 0
    private var earlyByteCount = 0

    /// - Parameter limit: the most bytes of a message.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes are held.
    public var heldByteCount: Int { text.utf8.count + earlyByteCount }

    /// Takes a piece and returns the messages that are complete by it. One that came before is passed over.
    ///
    /// - Throws: for pieces that are no message, or too much of one.
    public mutating func take(_ segment: RealtimePoll.Segment) throws(WebSocketError) -> [[UInt8]] {
        guard segment.number >= next, early[segment.number] == nil else { return [] }
        guard segment.number - next < Self.window,
            heldByteCount + segment.data.utf8.count <= limit / 3 * 4 + 4
        else { throw .tooBig(limit: limit) }
        early[segment.number] = segment
        earlyByteCount += segment.data.utf8.count
        var messages: [[UInt8]] = []
        while let segment = early.removeValue(forKey: next) {
            earlyByteCount -= segment.data.utf8.count
            next += 1
            if let message = try append(segment) { messages.append(message) }
        }
        return messages
    }

    private mutating func append(_ segment: RealtimePoll.Segment) throws(WebSocketError) -> [UInt8]? {
        if missing == 0 { missing = segment.messageCount }
        text += segment.data
        missing -= 1
        guard missing == 0 else { return nil }
        defer { text = "" }
        var letters = text[...]
        while letters.last == "." { letters.removeLast() }
        do throws(Base64Error) {
            let bytes = try Base64.url.decode(String(letters))
            var check = UTF8Check()
            let isText = bytes.withUnsafeBytes { check.take($0) }
            if isText, check.isComplete { return bytes }
        } catch {
            // What is wrong with it is told in one way for all.
        }
        throw WebSocketError(.invalidData, "a message is not base64 of UTF-8")
    }
}
