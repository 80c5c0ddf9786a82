// permessage-deflate (RFC 7692) without context takeover: each message is compressed by itself, so that one
// compressed payload serves all who are sent the same.
import CZlib

/// Makes payloads smaller. It owns some 256 KB of zlib's memory: one serves all connections of a thread.
public struct WebSocketDeflater: ~Copyable {
    /// Payloads below this many bytes are not tried: the two of them save nothing worth the time.
    public static let smallest = 512

    private let stream: UnsafeMutablePointer<z_stream>

    /// Takes zlib's memory.
    public init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = deflateInit2_(
            stream, 3, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib cannot begin to compress; memory may have run out")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The compressed payload for `bytes`, nil if they are few or would save less than an eighth.
    ///
    /// - Complexity: O(n), some 10 ns a byte.
    public mutating func deflate(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count >= Self.smallest, bytes.count < 1 << 30 else { return nil }
        let room = bytes.count - bytes.count / 8
        let output = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = run(bytes, into: output)
        }
        // A message ends with an empty block, whose last four bytes are left out.
        guard output.count > 4, output.count < room else { return nil }
        return output.dropLast(4)
    }

    /// Returns how many bytes were written; all of `output` if there was not enough room.
    private func run(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        deflateReset(stream)
        // zlib's interface is not const, but it does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        _ = CZlib.deflate(stream, Z_SYNC_FLUSH)
        return output.count - Int(stream.pointee.avail_out)
    }
}

/// Restores compressed messages. It owns some 40 KB of zlib's memory: one serves all connections of a thread.
public struct WebSocketInflater: ~Copyable {
    /// What the sender left out at the end of each message.
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let step = 16 << 10

    private let stream: UnsafeMutablePointer<z_stream>

    /// Takes zlib's memory.
    public init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib cannot begin to restore; memory may have run out")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The payload that `compressed` stands for.
    ///
    /// - Parameters:
    ///   - isText: whether it must be UTF-8.
    ///   - limit: the most bytes that it may have: a few bytes can stand for very many.
    /// - Throws: `invalidData` for broken data or text, `tooBig` beyond the limit.
    public mutating func inflate(
        _ compressed: [UInt8], isText: Bool, limit: Int
    ) throws(WebSocketError) -> [UInt8] {
        var output: [UInt8] = []
        var input = compressed + Self.tail
        let fault = input.withUnsafeMutableBufferPointer { run($0, into: &output, limit: limit) }
        if let fault { throw fault }
        guard isText else { return output }
        var check = UTF8Check()
        guard output.withUnsafeBytes({ check.take($0) }), check.isComplete else { throw .invalidText }
        return output
    }

    private func run(
        _ input: UnsafeMutableBufferPointer<UInt8>, into output: inout [UInt8], limit: Int
    ) -> WebSocketError? {
        inflateReset(stream)
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
        while true {
            let result = step(into: &output)
            guard output.count <= limit else { return .tooBig(limit: limit) }
            switch result {
            case Z_STREAM_END:
                // The sender ended the stream; what follows is another one.
                if stream.pointee.avail_in == 0 { return nil }
                inflateReset(stream)
            case Z_OK: break
            case Z_BUF_ERROR: return stream.pointee.avail_in == 0 ? nil : .badDeflate
            default: return .badDeflate
            }
        }
    }

    private func step(into output: inout [UInt8]) -> Int32 {
        var result: Int32 = Z_BUF_ERROR
        output.append(addingCapacity: Self.step) { free in
            free.withUnsafeMutableBufferPointer { room, written in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(Self.step)
                result = CZlib.inflate(stream, Z_SYNC_FLUSH)
                written = Self.step - Int(stream.pointee.avail_out)
            }
        }
        return result
    }
}
