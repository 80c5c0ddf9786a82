// Many members of an object at once, where they stand as they are kept: a page of them is copied as a whole.
import HearthJSON

/// How many members a builder takes next, and of how many bytes with the commas between them.
struct MemberRoom {
    let count: Int
    let byteCount: Int
}

/// Members that were found one after the other in canonical text and in key order.
struct MemberRun {
    /// From the first key's quote to the end of the last value.
    let range: Range<Int>
    let lastKey: Key
    /// Whether the next member would not have had room.
    let isFull: Bool
    let continuations: Int
}

/// Finds members of an object that can be kept as they are: in order, canonical, each small. Whatever else
/// there is, it leaves to others.
struct MemberScanner: Sendable {
    private var known: ContiguousArray<CanonicalCheck.KnownKey> = []
    /// Where the members of the last run stand, from its beginning on.
    private var marks: ContiguousArray<PackedChildren.Mark> = []

    /// No member is longer, with its comma.
    private static let memberByteLimit = PackedText.recordLimit + 2 * Key.byteLimit + 8

    /// Finds the members from the one whose quote stands at `start`; nil if there is none that can be kept
    /// as it is.
    ///
    /// - Parameters:
    ///   - last: the key that all must come after.
    ///   - levels: how many levels of objects each value may have.
    mutating func scan(
        at start: Int, in buffer: UnsafeRawBufferPointer, after last: Key?, levels: Int, room: MemberRoom,
        limits: JSONLimits
    ) -> MemberRun? {
        if known.isEmpty {
            known = ContiguousArray(repeating: CanonicalCheck.KnownKey(), count: CanonicalCheck.knownKeyCount)
        }
        marks.removeAll(keepingCapacity: true)
        return known.withUnsafeMutableBufferPointer { known in
            guard let memory = known.baseAddress else { return nil }
            let check = CanonicalCheck(buffer, at: start, limits: limits, known: memory)
            return MemberScanner.run(check, after: last, levels: levels, room: room, &marks)
        }
    }

    private static func run(
        _ begun: CanonicalCheck, after last: Key?, levels: Int, room: MemberRoom,
        _ marks: inout ContiguousArray<PackedChildren.Mark>
    ) -> MemberRun? {
        var check = begun
        let start = check.at
        var (end, continuations, isFull) = (start, 0, false)
        var lastKey = last
        while marks.count < room.count {
            check.place = 0
            check.stop = min(check.end, check.at &+ memberByteLimit)
            guard let key = check.memberKey(), lastKey.map({ $0 < key }) ?? true else { break }
            let value = check.at
            // A number could go on behind the buffer.
            guard check.value(levels: levels), check.at < check.end,
                check.at &- value <= PackedText.recordLimit
            else { break }
            guard check.at &- start <= room.byteCount else {
                isFull = true
                break
            }
            end = check.at
            continuations = check.continuations
            lastKey = key
            marks.append(PackedChildren.Mark(word: key.word0, value: value &- start, end: end &- start))
            guard check.byte(end) == UInt8(ascii: ",") else { break }
            check.at = end &+ 1
        }
        guard let lastKey, !marks.isEmpty else { return nil }
        return MemberRun(
            range: start..<end, lastKey: lastKey, isFull: isFull || marks.count == room.count,
            continuations: continuations)
    }

    /// Where the members of the last run stand.
    func withMarks<Result>(_ body: (UnsafeBufferPointer<PackedChildren.Mark>) -> Result) -> Result {
        marks.withUnsafeBufferPointer(body)
    }
}

extension CanonicalCheck {
    /// Reads the key of a member of a list, up to its value. Such keys are not remembered, since each is
    /// another.
    @inline(__always)
    mutating func memberKey() -> Key? {
        guard let name = newKey() else { return nil }
        let count = name.end &- name.start
        let first = byte(name.start)
        let mayBeInteger = first <= UInt8(ascii: "9")
        // A push ID begins with a minus, but no integer has a letter behind that.
        let isText =
            !mayBeInteger || (first == UInt8(ascii: "-") && byte(name.start &+ 1) > UInt8(ascii: "9"))
        guard isText, !name.hasEscapes, count >= 8, count <= Key.inlineByteCount else {
            return PackedText.key(raw(name))
        }
        let word0 = word(name.start).byteSwapped
        // The last eight bytes, of which the first ones may be in the words before.
        let rest = word(name.end &- 8).byteSwapped
        var (word1, word2): (UInt64, UInt64) = (0, 0)
        if count > 16 {
            word1 = word(name.start &+ 8).byteSwapped
            word2 = rest << UInt64(64 &- 8 &* (count &- 16))
        } else if count > 8 {
            word1 = rest << UInt64(64 &- 8 &* (count &- 8))
        }
        guard (word0 | word1 | rest) & 0x8080_8080_8080_8080 == 0 else { return PackedText.key(raw(name)) }
        return Key(word0: word0, word1: word1, word2: word2, spill: nil)
    }
}
