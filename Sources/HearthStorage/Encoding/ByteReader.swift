// Reading numbers and text from bytes that may be anything at all.
import HearthCore

/// Where a reader gets more bytes from when it has used up what it has.
protocol ByteSource {
    /// The next piece, nil at the end. Pieces are never empty.
    mutating func next() throws(DecodingFault) -> [UInt8]?
}

/// Reads fields one after the other and never trusts a length; any bytes give a value or a fault, never a
/// trap.
struct ByteReader {
    private var buffer: [UInt8]
    private var index: Int
    /// Where reading ends in the buffer.
    private var end: Int
    /// The offset of the buffer's first byte in all that is read.
    private var base = 0
    private var source: (any ByteSource)?
    private var packed = PackedReader()

    init(_ bytes: [UInt8]) {
        self.init(bytes, bytes.indices)
    }

    /// Reads a part of `bytes`; offsets are counted from the beginning of all of them.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        buffer = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    init(_ source: any ByteSource) {
        buffer = []
        index = 0
        end = 0
        self.source = source
    }

    /// How many bytes have been read.
    var offset: Int { base + index }

    /// Whether nothing is left.
    mutating func isAtEnd() throws(DecodingFault) -> Bool {
        guard index == end else { return false }
        return try !refill()
    }

    func fault(_ reason: Malformation) -> DecodingFault {
        .malformed(reason, offset: offset)
    }

    /// Makes the next `count` bytes lie in the buffer.
    private mutating func require(_ count: Int) throws(DecodingFault) {
        while end - index < count {
            guard try refill() else { throw fault(.endsEarly) }
        }
    }

    private mutating func refill() throws(DecodingFault) -> Bool {
        guard let piece = try source?.next() else { return false }
        base += index
        if index == end {
            buffer = piece
        } else {
            buffer.removeFirst(index)
            buffer += piece
        }
        index = 0
        end = buffer.count
        return true
    }

    mutating func byte() throws(DecodingFault) -> UInt8 {
        if index == end { try require(1) }
        defer { index += 1 }
        return buffer[index]
    }

    mutating func fixed32() throws(DecodingFault) -> UInt32 {
        try require(4)
        defer { index += 4 }
        return buffer.fixed32(at: index)
    }

    mutating func fixed64() throws(DecodingFault) -> UInt64 {
        try require(8)
        defer { index += 8 }
        return buffer.fixed64(at: index)
    }

    /// A whole number in groups of seven bits, low ones first, at most ten of them, in its shortest form.
    mutating func varint() throws(DecodingFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 {
                guard next != 0 || shift == 0, shift < 63 || next == 1 else { throw fault(.badNumber) }
                return value
            }
            shift += 7
            guard shift <= 63 else { throw fault(.badNumber) }
        }
    }

    /// A number that may be negative: small magnitudes are short.
    mutating func signedVarint() throws(DecodingFault) -> Int64 {
        let raw = try varint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    /// A number that counts something, at most `limit`.
    mutating func count(upTo limit: Int) throws(DecodingFault) -> Int {
        let value = try varint()
        guard value <= UInt64(limit) else { throw fault(.badNumber) }
        return Int(value)
    }

    mutating func bytes(_ count: Int) throws(DecodingFault) -> [UInt8] {
        try require(count)
        defer { index += count }
        return Array(buffer[index..<index + count])
    }

    /// A length of at most `limit`, then that much UTF-8.
    mutating func text(upTo limit: Int) throws(DecodingFault) -> String {
        let range = try nextRange(upTo: limit)
        let made = buffer.withUnsafeBytes { ByteReader.text(UnsafeRawBufferPointer(rebasing: $0[range])) }
        guard let text = made else { throw fault(.notUnicode) }
        index = range.upperBound
        return text
    }

    /// A length, then the UTF-8 of a key that is checked.
    mutating func key() throws(DecodingFault) -> Key {
        let range = try nextRange(upTo: Key.byteLimit)
        let made = buffer.withUnsafeBytes { ByteReader.key(UnsafeRawBufferPointer(rebasing: $0[range])) }
        guard let key = made else { throw fault(.badKey) }
        index = range.upperBound
        return key
    }

    /// A length, then the canonical JSON of a small object; nil if it is none.
    mutating func object(levelsLeft: Int) throws(DecodingFault) -> Node? {
        let range = try nextRange(upTo: Int(UInt16.max))
        let node = ByteReader.object(&packed, buffer, range, levelsLeft)
        index = range.upperBound
        return node
    }

    /// A length, then the canonical JSON of so many members, which come after all that are in the builder;
    /// false if they do not.
    mutating func members(
        _ count: Int, into builder: inout Node.Builder, levelsLeft: Int
    ) throws(DecodingFault) -> Bool {
        let range = try nextRange(upTo: Int(UInt16.max))
        defer { index = range.upperBound }
        return ByteReader.insert(&packed, buffer, range, (count, levelsLeft), &builder)
    }

    private static func object(
        _ packed: inout PackedReader, _ buffer: [UInt8], _ range: Range<Int>, _ levels: Int
    ) -> Node? {
        buffer.withUnsafeBytes { packed.object(UnsafeRawBufferPointer(rebasing: $0[range]), levels: levels) }
    }

    private static func insert(
        _ packed: inout PackedReader, _ buffer: [UInt8], _ range: Range<Int>,
        _ bounds: (count: Int, levels: Int), _ builder: inout Node.Builder
    ) -> Bool {
        buffer.withUnsafeBytes { all in
            let text = UnsafeRawBufferPointer(rebasing: all[range])
            return packed.insert(
                members: text, count: bounds.count, into: &builder, levels: bounds.levels)
        }
    }

    private mutating func nextRange(upTo limit: Int) throws(DecodingFault) -> Range<Int> {
        let count = try count(upTo: limit)
        try require(count)
        return index..<index + count
    }

    /// Nearly all text is ASCII, for which there is a shorter way.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        isASCII(bytes)
            ? String(decoding: bytes, as: UTF8.self)
            : String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    private static func key(_ bytes: UnsafeRawBufferPointer) -> Key? {
        guard isASCII(bytes) || text(bytes) != nil else { return nil }
        // Why it is no key does not matter here: stored keys were checked, so the bytes are not what was
        // stored.
        return try? Key(utf8: bytes)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= bytes.count {
            all |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < bytes.count {
            all |= UInt64(bytes[offset])
            offset &+= 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}

extension [UInt8] {
    /// The little-endian number at `offset`, which must lie inside.
    func fixed32(at offset: Int) -> UInt32 {
        precondition(offset >= 0 && offset + 4 <= count, "a number lies inside its bytes")
        return UInt32(
            littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
    }

    /// The little-endian number at `offset`, which must lie inside.
    func fixed64(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 8 <= count, "a number lies inside its bytes")
        return UInt64(
            littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
    }
}
