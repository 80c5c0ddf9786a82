// The checksum must be the published one, however the bytes are divided.
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("CRC-32C")
struct CRC32CTests {
    @Test(
        "gives the published values",
        arguments: [
            ([UInt8](repeating: 0x00, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            ([UInt8](0..<32), 0x46DD_794E),
            ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
            (Array("123456789".utf8), 0xE306_9283),
            ([], 0),
        ] as [([UInt8], UInt32)])
    func published(bytes: [UInt8], checksum: UInt32) {
        #expect(CRC32C.checksum(bytes) == checksum)
    }

    @Test("goes on from the bytes before, wherever they are divided")
    func divided() {
        var random = SeededRandom(for: "CRC-32C divided")
        let bytes = random.bytes(100)
        let whole = CRC32C.checksum(bytes)
        for cut in 0...bytes.count {
            let first = CRC32C.checksum(Array(bytes[..<cut]))
            #expect(CRC32C.checksum(Array(bytes[cut...]), after: first) == whole)
        }
    }

    @Test("is the same with and without the processor's instruction")
    func portable() {
        var random = SeededRandom(for: "CRC-32C portable")
        for count in Array(0..<70) + [1_000, 4_097] {
            let bytes = random.bytes(count)
            let start = UInt32(truncatingIfNeeded: random.next())
            let portable = bytes.withUnsafeBytes { CRC32C.portableChecksum($0, after: start) }
            #expect(CRC32C.checksum(bytes, after: start) == portable)
        }
    }

    @Test("of two parts gives that of both together")
    func combined() {
        var random = SeededRandom(for: "CRC-32C combined")
        for count in Array(0..<70) + [255, 256, 257, 65_536, 300_000] {
            let (first, second) = (random.bytes(Int.random(in: 0..<40, using: &random)), random.bytes(count))
            let (left, right) = (CRC32C.checksum(first), CRC32C.checksum(second))
            #expect(
                CRC32C.combined(left, right, secondByteCount: count) == CRC32C.checksum(first + second))
        }
    }

    @Test("notices every changed bit")
    func changedBits() {
        var random = SeededRandom(for: "CRC-32C bits")
        var bytes = random.bytes(64)
        let whole = CRC32C.checksum(bytes)
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(CRC32C.checksum(bytes) != whole)
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }
}
