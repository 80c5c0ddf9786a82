// Digests of values, for ETags (architecture.md §5): the same for the same content, whatever its history.
public import HearthCrypto
import Synchronization

/// A sum of digests modulo 2^256: the same in whatever order they are added.
final class DigestSum: Sendable {
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ accumulator: Accumulator) {
        words = accumulator.words
    }

    /// A sum that grows.
    struct Accumulator {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

        mutating func add(_ other: (UInt64, UInt64, UInt64, UInt64)) {
            var carry: UInt64 = 0
            words.0 = Self.add(words.0, other.0, &carry)
            words.1 = Self.add(words.1, other.1, &carry)
            words.2 = Self.add(words.2, other.2, &carry)
            words.3 = Self.add(words.3, other.3, &carry)
        }

        mutating func add(_ digest: SHA256.Digest) {
            digest.withBytes { bytes in
                func word(_ index: Int) -> UInt64 {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
                }
                add((word(0), word(1), word(2), word(3)))
            }
        }

        private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
            let (partial, first) = left.addingReportingOverflow(right)
            let (sum, second) = partial.addingReportingOverflow(carry)
            carry = first || second ? 1 : 0
            return sum
        }
    }
}

extension Page {
    /// The sum of the digests of all children with their keys, kept for all later states that share the
    /// page.
    ///
    /// - Complexity: O(1) if it was asked for before; else only pages that were not are looked at.
    func digestTotal(_ scratch: inout [UInt8]) -> DigestSum {
        if let known = digestSum.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        var sum = DigestSum.Accumulator()
        for slot in slots { sum.add(slot.page.digestTotal(&scratch).words) }
        for entry in entries { sum.add(entry.node.digest(key: entry.key, &scratch)) }
        for index in 0..<(packed?.count ?? 0) {
            sum.add(node(at: index).digest(key: key(at: index), &scratch))
        }
        let made = DigestSum(sum)
        let owned = Unmanaged.passRetained(made)
        let (isStored, earlier) = digestSum.compareExchange(
            expected: nil, desired: owned, ordering: .acquiringAndReleasing)
        guard !isStored else { return made }
        // Another thread was faster.
        owned.release()
        return earlier?.takeUnretainedValue() ?? made
    }
}

extension Page {
    /// What hashing a child costs whose own digest is known, in bytes of JSON that take as long.
    private static let knownChildWeight = 64

    /// Takes what is still to be hashed off `left`, and stops when there is nothing left of it.
    fileprivate func spendOnDigest(_ left: inout Int) {
        if digestSum.load(ordering: .acquiring) != nil { return }
        guard tally.weight > left else {
            left -= tally.weight
            return
        }
        for slot in slots where left >= 0 { slot.page.spendOnDigest(&left) }
        if let packed { left -= packed.bytes.count }
        for entry in entries where left >= 0 {
            left -= Self.knownChildWeight
            entry.node.spendOnDigest(&left)
        }
    }
}

extension Node {
    /// A digest of value and priorities, independent of history and of how the node came about.
    ///
    /// - Complexity: O(size) at first; after a write only the pages on the written path are looked at
    ///   again.
    public var digest: SHA256.Digest {
        var scratch: [UInt8] = []
        return digest(key: nil, &scratch)
    }

    /// Whether the digest is known but for about so many bytes of JSON; else asking for it takes its time,
    /// and is for a worker.
    ///
    /// - Complexity: O(`byteCount`), less where digests are known.
    public func hasDigest(within byteCount: Int = 65_536) -> Bool {
        var left = byteCount
        spendOnDigest(&left)
        return left >= 0
    }

    fileprivate func spendOnDigest(_ left: inout Int) {
        switch storage {
        case .children(let page): page.spendOnDigest(&left)
        case .rankedChildren(let ranked): ranked.page.spendOnDigest(&left)
        case .empty, .leaf, .ranked, .packed: left -= weight
        }
    }

    /// The digest as an ETag, base64 without quotes; `null_etag` if there is nothing. Source: rest-api.md
    /// §6.
    public var etag: String {
        isEmpty ? "null_etag" : Base64.standard.encode(digest.bytes)
    }

    /// The digest of
    ///
    ///     key length u16, key │ priority: kind u8, payload │ value: kind u8, payload
    ///
    /// where text is preceded by its length and children stand as the sum of their digests; but those that
    /// are packed, as equal ones always are, by their text.
    fileprivate func digest(key: Key?, _ scratch: inout [UInt8]) -> SHA256.Digest {
        let total: DigestSum? =
            switch storage {
            case .children(let page): page.digestTotal(&scratch)
            case .rankedChildren(let ranked): ranked.page.digestTotal(&scratch)
            case .empty, .leaf, .ranked, .packed: nil
            }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(littleEndian: UInt16(key?.byteCount ?? 0))
        key?.appendUTF8(to: &scratch)
        priority.appendDigestForm(to: &scratch)
        if let total {
            scratch.append(Leaf.childrenKind)
            scratch.append(littleEndian: total.words.0)
            scratch.append(littleEndian: total.words.1)
            scratch.append(littleEndian: total.words.2)
            scratch.append(littleEndian: total.words.3)
        } else if case .packed(let record) = storage {
            scratch.append(Leaf.textKind)
            scratch.append(littleEndian: UInt64(record.count))
            record.withText { scratch.append(contentsOf: $0) }
        } else {
            leaf?.appendDigestForm(to: &scratch)
        }
        return SHA256.digest(of: scratch)
    }
}

extension Leaf {
    fileprivate static let childrenKind: UInt8 = 5
    fileprivate static let textKind: UInt8 = 7

    fileprivate func appendDigestForm(to bytes: inout [UInt8]) {
        switch self {
        case .bool(let value):
            bytes.append(value ? 2 : 1)
        case .integer(let value):
            bytes.append(3)
            bytes.append(littleEndian: UInt64(bitPattern: value))
        case .double(let value):
            if let whole = Int64(exactly: value) { return Leaf.integer(whole).appendDigestForm(to: &bytes) }
            bytes.append(4)
            bytes.append(littleEndian: value.bitPattern)
        case .string(let text):
            bytes.append(6)
            bytes.append(littleEndian: UInt64(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }
}

extension Priority {
    fileprivate func appendDigestForm(to bytes: inout [UInt8]) {
        switch self {
        case .none: bytes.append(0)
        case .number(let value):
            bytes.append(1)
            // -0 and 0 are the same priority.
            bytes.append(littleEndian: (value == 0 ? 0 : value).bitPattern)
        case .string(let text):
            bytes.append(2)
            bytes.append(littleEndian: UInt64(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
