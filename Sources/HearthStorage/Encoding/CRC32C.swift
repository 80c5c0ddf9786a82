// The checksum of everything that is stored: CRC-32C (Castagnoli), eight bytes at a step.

/// CRC-32C as in RFC 3720 §B.4: polynomial 0x1EDC6F41, reflected, all ones before and after.
///
/// It finds every error of one bit, every burst of up to 32 bits and all but one in 2^32 of the rest.
public enum CRC32C {
    /// The checksum of `bytes`; `previous` is that of the bytes before them, if these go on from others.
    ///
    /// - Complexity: O(count), about a byte a clock cycle or better.
    public static func checksum(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            ~advance(~previous, over: bytes, tables)
        }
    }

    /// The checksum of an array.
    public static func checksum(_ bytes: [UInt8], after previous: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, after: previous) }
    }

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
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            tables[byte] = crc
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()
}
