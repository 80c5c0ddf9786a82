// Fuzzes what reads the frames of WebSockets: the parser, the inflater and the assembly of segments.
import HearthWire

/// The first byte of the input says whether compression was agreed on, the rest is what a client sends.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    input.dropFirst().withUnsafeBytes { input in
        let (length, takesCompressed) = (max(1, input.count), form & 1 == 1)
        let whole = WebSocketFuzz.events(in: input, step: length, takesCompressed: takesCompressed)
        // Cut into pieces, it must be read as the same.
        for step in [1, 7] {
            let pieces = WebSocketFuzz.events(in: input, step: step, takesCompressed: takesCompressed)
            precondition(pieces == whole)
        }
    }
}

enum WebSocketFuzz {
    private static let limit = 1 << 16

    /// What each message came to, as text, or why the connection was closed.
    static func events(in input: UnsafeRawBufferPointer, step: Int, takesCompressed: Bool) -> [String] {
        var found: [String] = []
        var parser = WebSocketParser(messageLimit: limit, takesCompressed: takesCompressed)
        var assembly = RealtimeAssembly(limit: limit)
        var inflater = WebSocketInflater()
        do throws(WebSocketError) {
            for begin in stride(from: 0, to: input.count, by: step) {
                let piece = UnsafeRawBufferPointer(rebasing: input[begin..<min(begin + step, input.count)])
                var start = 0
                while let event = try parser.next(in: piece, from: &start) {
                    found.append(try described(event, &assembly, &inflater))
                }
                precondition(start == piece.count && parser.heldByteCount <= limit)
            }
        } catch {
            found.append("\(error.code.rawValue) \(error.reason)")
        }
        return found
    }

    private static func described(
        _ event: WebSocketParser.Event, _ assembly: inout RealtimeAssembly,
        _ inflater: inout WebSocketInflater
    ) throws(WebSocketError) -> String {
        switch event {
        case .text(let text):
            precondition(String(validating: text, as: UTF8.self) != nil, "text is UTF-8")
            guard let message = try assembly.take(text) else { return "segment" }
            precondition(message.count <= limit)
            return "message \(message.count)"
        case .compressed(let bytes, let isText):
            let whole = try inflater.inflate(bytes, isText: isText, limit: limit)
            precondition(whole.count <= limit)
            return "inflated \(whole.count)"
        case .close(let code):
            precondition(code?.mayBeSent ?? true)
            return "close"
        default: return "\(event)"
        }
    }
}
