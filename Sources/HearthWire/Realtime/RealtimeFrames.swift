// Messages to a client as WebSocket frames, long ones in segments.

/// Appends messages as frames. Source: wire-protocol.md §2.2.
public enum RealtimeFrames {
    /// The most bytes of a segment: some clients take no longer frames.
    static let segmentByteCount = 16_384
    /// The most segments of a message: some clients read a count of four digits alone.
    static let segmentCountLimit = 9_999

    /// Appends a message.
    ///
    /// - Precondition: `text` is UTF-8 and not empty.
    public static func append(_ text: [UInt8], to output: inout [UInt8]) {
        output.reserveCapacity(output.count + text.count + WebSocketFrames.headByteLimit)
        text.withUnsafeBytes { text in
            forEachSegment(of: text) { WebSocketFrames.appendText($0, to: &output) }
        }
    }

    /// Appends a message whose segments are compressed where that helps.
    ///
    /// - Precondition: `text` is UTF-8 and not empty.
    public static func append(
        _ text: [UInt8], compressedBy deflater: inout WebSocketDeflater, to output: inout [UInt8]
    ) {
        text.withUnsafeBytes { text in
            forEachSegment(of: text) { segment in
                if let compressed = deflater.deflate(segment) {
                    WebSocketFrames.appendCompressedText(compressed, to: &output)
                } else {
                    WebSocketFrames.appendText(segment, to: &output)
                }
            }
        }
    }

    /// Calls `body` with the text of each frame: the number of segments first if there are several.
    private static func forEachSegment(
        of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        precondition(!text.isEmpty, "an empty text would make a client wait for ever")
        let ranges = segments(of: text)
        if ranges.count > 1 { Array(String(ranges.count).utf8).withUnsafeBytes(body) }
        for range in ranges { body(UnsafeRawBufferPointer(rebasing: text[range])) }
    }

    /// Where the segments stand, each of whole characters.
    static func segments(of text: UnsafeRawBufferPointer) -> [Range<Int>] {
        let length = max(segmentByteCount, text.count / (segmentCountLimit - 1) + 4)
        guard text.count > length else { return [0..<text.count] }
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(text.count / (length - 3) + 1)
        var start = 0
        while start < text.count {
            var end = min(start + length, text.count)
            while end < text.count, text[end] & 0xC0 == 0x80 { end -= 1 }
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }
}
