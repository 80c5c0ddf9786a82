// A message to clients of the realtime protocol, made once for all who are sent the same.
import HearthWire

/// A message with the frames that carry it, made when first needed. It belongs to one loop.
final class Packet {
    /// The JSON.
    let text: [UInt8]
    private var frames: [UInt8]?
    private var compressedFrames: [UInt8]?

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// A message that `write` appends.
    convenience init(_ write: (inout [UInt8]) -> Void) {
        var text: [UInt8] = []
        write(&text)
        self.init(text)
    }

    /// The message as frames, compressed where that helps if there is a compression.
    func frames(_ compression: Compression?) -> [UInt8] {
        if let compression, text.count >= WebSocketDeflater.smallest {
            if let known = compressedFrames { return known }
            var made: [UInt8] = []
            RealtimeFrames.append(text, compressedBy: &compression.deflater, to: &made)
            compressedFrames = made
            return made
        }
        if let known = frames { return known }
        var made: [UInt8] = []
        RealtimeFrames.append(text, to: &made)
        frames = made
        return made
    }
}

@available(*, unavailable)
extension Packet: Sendable {}

/// What a loop compresses and restores messages with: no message needs the one before it.
final class Compression {
    var deflater = WebSocketDeflater()
    var inflater = WebSocketInflater()
}

@available(*, unavailable)
extension Compression: Sendable {}
