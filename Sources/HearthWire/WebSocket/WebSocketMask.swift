// The mask that a client lays over its payloads, so that no proxy takes them for something else.

/// The four bytes that payload bytes are combined with, in turn, from some offset on.
struct WebSocketMask: Sendable {
    /// The key eight bytes long, as it lies in memory from the first byte to come.
    private let pattern: UInt64

    /// - Parameters:
    ///   - key: the key, its first byte highest.
    ///   - offset: how many bytes of the payload came before.
    init(_ key: UInt32, offset: Int) {
        let turned = key << UInt32(8 * (offset & 3)) | key >> UInt32((32 - 8 * (offset & 3)) & 31)
        let word = offset & 3 == 0 ? key : turned
        pattern = (UInt64(word) << 32 | UInt64(word)).bigEndian
    }

    /// Appends `bytes` with the mask taken off.
    func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        let count = bytes.count
        output.append(addingCapacity: count) { free in
            free.withUnsafeMutableBufferPointer { room, written in
                guard let start = room.baseAddress else { return }
                write(bytes, to: UnsafeMutableRawPointer(start))
                written = count
            }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to start: UnsafeMutableRawPointer) {
        var at = 0
        while at &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ pattern
            start.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
            at &+= 8
        }
        var rest = pattern.littleEndian
        while at < bytes.count {
            let byte = bytes[at] ^ UInt8(truncatingIfNeeded: rest)
            start.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
            rest >>= 8
            at &+= 1
        }
    }
}
