// Memory for bytes on their way to clients, used again and again.

/// Empty buffers that the connections of one loop lend each other: an answer then costs no allocation, and a
/// connection that is owed nothing holds no memory.
final class SpareBuffers {
    private static let countLimit = 256
    private static let capacity = 1 << 10
    /// A buffer that grew beyond this is freed.
    private static let capacityLimit = 32 << 10
    /// All of them together may have so many bytes.
    private static let byteLimit = 1 << 20

    private var buffers: [[UInt8]] = []
    private var byteCount = 0

    init() {}

    /// An empty buffer with room for a small answer.
    func take() -> [UInt8] {
        if let buffer = buffers.popLast() {
            byteCount -= buffer.capacity
            return buffer
        }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(SpareBuffers.capacity)
        return buffer
    }

    /// Takes the memory of `buffer`, which has no memory and no bytes afterwards.
    func put(_ buffer: inout [UInt8]) {
        if (1...SpareBuffers.capacityLimit).contains(buffer.capacity),
            buffers.count < SpareBuffers.countLimit,
            byteCount + buffer.capacity <= SpareBuffers.byteLimit
        {
            buffer.removeAll(keepingCapacity: true)
            byteCount += buffer.capacity
            buffers.append(buffer)
        }
        buffer = []
    }
}
