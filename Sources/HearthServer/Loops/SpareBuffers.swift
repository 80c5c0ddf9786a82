// Memory for bytes on their way to clients, used again and again.

/// Empty buffers that the connections of one loop lend each other: an answer then costs no allocation, and a
/// connection that is owed nothing holds no memory.
final class SpareBuffers {
    private static let countLimit = 256
    private static let capacity = 1 << 10
    /// A buffer that grew beyond this is freed.
    private static let capacityLimit = 8 << 10

    private var buffers: [[UInt8]] = []

    init() {}

    /// An empty buffer with room for a small answer.
    func take() -> [UInt8] {
        if let buffer = buffers.popLast() { return buffer }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(SpareBuffers.capacity)
        return buffer
    }

    /// Takes the memory of `buffer`, which has no memory and no bytes afterwards.
    func put(_ buffer: inout [UInt8]) {
        if (1...SpareBuffers.capacityLimit).contains(buffer.capacity), buffers.count < SpareBuffers.countLimit
        {
            buffer.removeAll(keepingCapacity: true)
            buffers.append(buffer)
        }
        buffer = []
    }
}
