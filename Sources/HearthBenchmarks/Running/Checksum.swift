// Checksums of results: they keep the work from being optimised away, and show that it was the same.

/// A checksum of all that was added, in its order.
struct Checksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// One step of FNV-1a, eight bytes at a time.
    mutating func add(_ number: Int) {
        value = (value ^ UInt64(bitPattern: Int64(number))) &* 0x0000_0100_0000_01B3
    }

    /// Adds bytes; every 64th one of long texts, so that the sum costs less than the work.
    mutating func add(_ bytes: [UInt8]) {
        add(bytes.count)
        for index in stride(from: 0, to: bytes.count, by: bytes.count > 4_096 ? 64 : 1) {
            add(Int(bytes[index]))
        }
    }
}
