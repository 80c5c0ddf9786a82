// The checksum of everything that is stored: CRC-32C (Castagnoli), by an instruction of the processor where
// it has one, else eight bytes at a step.
import CMachine

/// CRC-32C as in RFC 3720 §B.4: polynomial 0x1EDC6F41, reflected, all ones before and after.
///
/// It finds every error of one bit, every burst of up to 32 bits and all but one in 2^32 of the rest.
public enum CRC32C {
    /// The checksum of `bytes`; `previous` is that of the bytes before them, if these go on from others.
    ///
    /// - Complexity: O(count), about a byte a clock cycle or better.
    public static func checksum(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
        if isInstruction, let start = bytes.baseAddress {
            return ~hearth_crc32c(~previous, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        return portableChecksum(bytes, after: previous)
    }

    /// Whether the processor computes it.
    private static let isInstruction = hearth_has_crc32c() != 0

    /// The same without help of the processor.
    static func portableChecksum(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            ~advance(~previous, over: bytes, tables)
        }
    }

    /// The checksum of an array.
    public static func checksum(_ bytes: [UInt8], after previous: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, after: previous) }
    }

    /// The checksum of bytes with the checksum `first`, followed by so many others with the checksum
    /// `second`.
    ///
    /// - Complexity: O(log secondByteCount).
    static func combined(_ first: UInt32, _ second: UInt32, secondByteCount: Int) -> UInt32 {
        precondition(secondByteCount >= 0, "there is no negative number of bytes")
        // A byte is eight bits: x to the power of 2^3.
        var exponent = 3
        var count = secondByteCount
        var product = first
        while count > 0 {
            if count & 1 == 1 { product = multiplied(product, powers[exponent]) }
            count >>= 1
            exponent += 1
        }
        return product ^ second
    }

    /// x to the power of 2^index, as a polynomial modulo the checksum's; the highest bit is x^0.
    private static let powers: [UInt32] = {
        var powers: [UInt32] = [1 << 30]
        for index in 1..<67 { powers.append(multiplied(powers[index - 1], powers[index - 1])) }
        return powers
    }()

    private static func multiplied(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var product: UInt32 = 0
        var right = right
        for bit in (0..<32).reversed() {
            if left >> UInt32(bit) & 1 == 1 { product ^= right }
            right = right & 1 == 1 ? (right >> 1) ^ polynomial : right >> 1
        }
        return product
    }

    private static let polynomial: UInt32 = 0x82F6_3B78

    private static func advance(
        _ start: UInt32, over bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var crc = start
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            crc = step(word ^ UInt64(crc), tables)
            offset &+= 8
        }
        while offset < bytes.count {
            crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
            offset &+= 1
        }
        return crc
    }

    @inline(__always)
    private static func step(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let low0 = tables[1792 &+ Int(word & 0xFF)] ^ tables[1536 &+ Int(word >> 8 & 0xFF)]
        let low1 = tables[1280 &+ Int(word >> 16 & 0xFF)] ^ tables[1024 &+ Int(word >> 24 & 0xFF)]
        let high0 = tables[768 &+ Int(word >> 32 & 0xFF)] ^ tables[512 &+ Int(word >> 40 & 0xFF)]
        let high1 = tables[256 &+ Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
        return low0 ^ low1 ^ high0 ^ high1
    }

    /// Eight tables of 256: what a byte does to the checksum when 0 to 7 more bytes follow it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 2048)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ polynomial : crc >> 1 }
            tables[byte] = crc
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()
}
