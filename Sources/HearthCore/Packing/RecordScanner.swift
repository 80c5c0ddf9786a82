// The short way into a packed record: what clients send is turned into canonical text without tokens.
import HearthJSON

/// Turns small objects as clients write them into canonical text, in one pass.
///
/// It takes only what it understands fully: objects of at most `PackedText.recordLimit` bytes with strings,
/// numbers, booleans and objects of the same kind, no key twice. Anything else, and anything wrong, it leaves
/// to `JSONReader` and `DraftAssembly`, which come to the same where both can do it. Everything that is
/// canonical it takes, and leaves as it is: so it checks what is read back from the disk, too.
struct RecordScanner: Sendable {
    /// A member of an open object, in the text that is written.
    fileprivate struct Member {
        var start: Int
        var keyEnd: Int
        var end: Int
        var hasEscapes: Bool
    }

    /// How much may be written before the limit is looked at again.
    private static let stride = 128

    /// The longest text that is taken.
    private let byteLimit: Int
    /// The text, and behind it as much room for sorting members.
    private var output: [UInt8] = []
    private var members: ContiguousArray<Member> = []
    private var count = 0

    init(byteLimit: Int = PackedText.recordLimit) {
        self.byteLimit = byteLimit
    }

    /// Gets the memory, when first there is something to read.
    private mutating func makeRoom() {
        if output.isEmpty { output = [UInt8](repeating: 0, count: 2 * (byteLimit + Self.stride)) }
    }

    /// Reads the object that begins at `start`, of at most so many levels; nil if it is left to others.
    mutating func scan(
        at start: Int, in buffer: UnsafeRawBufferPointer, levels: Int, limits: JSONLimits
    ) -> JSONStretch? {
        var stack: ContiguousArray<Member> = []
        swap(&stack, &members)
        defer { swap(&stack, &members) }
        stack.removeAll(keepingCapacity: true)
        var count = 0
        makeRoom()
        let byteLimit = byteLimit
        let found = output.withUnsafeMutableBytes { output -> JSONStretch? in
            var scan = RecordScan(buffer, at: start, output, byteLimit: byteLimit, limits: limits)
            guard scan.readObject(levels: levels, &stack) else { return nil }
            count = scan.count
            return scan.stretch
        }
        self.count = count
        return found
    }

    /// Whether the member of an object that begins at `start` is canonical; returns where its value begins
    /// and ends.
    mutating func checkMember(
        at start: Int, in text: UnsafeRawBufferPointer, levels: Int
    ) -> (value: Int, end: Int)? {
        var stack: ContiguousArray<Member> = []
        swap(&stack, &members)
        defer { swap(&stack, &members) }
        stack.removeAll(keepingCapacity: true)
        makeRoom()
        let byteLimit = byteLimit
        return output.withUnsafeMutableBytes { output in
            var scan = RecordScan(text, at: start, output, byteLimit: byteLimit, limits: JSONLimits())
            guard let value = scan.readMember(levels: levels, &stack) else { return nil }
            let end = start &+ scan.count
            guard end <= text.count, scan.stretch.end == end else { return nil }
            let read = UnsafeRawBufferPointer(rebasing: text[start..<end])
            let written = UnsafeRawBufferPointer(rebasing: output[..<scan.count])
            return PackedText.isSame(read, written) ? (start &+ value, end) : nil
        }
    }

    /// Whether `text` is the canonical text of an object that can be packed.
    mutating func isCanonical(_ text: UnsafeRawBufferPointer, levels: Int) -> Bool {
        guard text.first == UInt8(ascii: "{"),
            let stretch = scan(at: 0, in: text, levels: levels, limits: JSONLimits()),
            stretch.end == text.count
        else { return false }
        return withText { PackedText.isSame($0, text) }
    }

    /// The canonical text of the object that was read last.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}

/// One object on its way from the buffer to the output.
private struct RecordScan {
    private let buffer: UnsafeRawBufferPointer
    private let output: UnsafeMutableRawPointer
    /// Where in the output there is room for sorting.
    private let spare: Int
    private let byteLimit: Int
    private let limits: JSONLimits
    /// What was read so far.
    private(set) var stretch: JSONStretch
    private var at: Int
    /// Bytes written.
    private(set) var count = 0

    init(
        _ buffer: UnsafeRawBufferPointer, at start: Int, _ output: UnsafeMutableRawBufferPointer,
        byteLimit: Int, limits: JSONLimits
    ) {
        guard let base = output.baseAddress else { preconditionFailure("there is room for the output") }
        self.buffer = buffer
        self.output = base
        spare = output.count / 2
        self.byteLimit = byteLimit
        self.limits = limits
        stretch = JSONStretch(end: start)
        at = start
    }

    /// The byte that comes next after white space; 0 at the end of the buffer.
    @inline(__always)
    private mutating func next() -> UInt8 {
        while at < buffer.count {
            let byte = buffer[at]
            if byte > 0x20 { return byte }
            switch byte {
            case 0x20, 0x09, 0x0D: break
            case 0x0A: stretch.endLine(at: at)
            default: return 0
            }
            at &+= 1
        }
        return 0
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        output.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    private var isFull: Bool { count > byteLimit }

    /// Reads the object at the present place.
    mutating func readObject(levels: Int, _ members: inout ContiguousArray<RecordScanner.Member>) -> Bool {
        guard levels > 0 else { return false }
        let first = members.count
        put(UInt8(ascii: "{"))
        at &+= 1
        repeat {
            guard readMember(levels: levels, &members) != nil, !isFull else { return false }
            let byte = next()
            at &+= 1
            if byte == UInt8(ascii: "}") { break }
            guard byte == UInt8(ascii: ",") else { return false }
            put(byte)
        } while true
        put(UInt8(ascii: "}"))
        guard !isFull, sort(&members, from: first) else { return false }
        members.removeSubrange(first...)
        stretch.end = at
        return true
    }

    /// Reads a member, which lies on top of `members` then; returns where its value begins in the output.
    mutating func readMember(levels: Int, _ members: inout ContiguousArray<RecordScanner.Member>) -> Int? {
        let start = count
        guard next() == UInt8(ascii: "\""), let hasEscapes = readKey() else { return nil }
        let keyEnd = count &- 1
        guard next() == UInt8(ascii: ":") else { return nil }
        at &+= 1
        put(UInt8(ascii: ":"))
        guard readValue(levels: levels, &members) else { return nil }
        members.append(
            RecordScanner.Member(start: start, keyEnd: keyEnd, end: count, hasEscapes: hasEscapes))
        stretch.end = at
        return keyEnd &+ 2
    }

    private mutating func readValue(
        levels: Int, _ members: inout ContiguousArray<RecordScanner.Member>
    ) -> Bool {
        switch next() {
        case UInt8(ascii: "\""): readString()
        case UInt8(ascii: "{"): readObject(levels: levels &- 1, &members)
        case UInt8(ascii: "t"): readLiteral("true")
        case UInt8(ascii: "f"): readLiteral("false")
        default: readNumber()
        }
    }

    private mutating func readLiteral(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard at &+ length <= buffer.count else { return false }
        for index in 0..<length {
            let byte = literal.utf8Start[index]
            guard buffer[at &+ index] == byte else { return false }
            put(byte)
        }
        at &+= length
        return true
    }
}

extension RecordScan {
    /// Printable ASCII without `"`, `\` and what keys must not have: the bytes up to 63, and up to 127.
    private static let keyBytes: (UInt64, UInt64) = {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in UInt8(0x20)..<0x7F where !"\"\\.$#[]/".utf8.contains(byte) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        return (low, high)
    }()

    /// Reads a key, whose quote comes next; tells whether it has escapes.
    private mutating func readKey() -> Bool? {
        let (low, high) = RecordScan.keyBytes
        put(UInt8(ascii: "\""))
        at &+= 1
        let start = at
        var escapes = 0
        while at < buffer.count, !isFull {
            let byte = buffer[at]
            if byte < 128, (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1 {
                put(byte)
                at &+= 1
                continue
            }
            guard byte != UInt8(ascii: "\"") else { break }
            if byte == UInt8(ascii: "\\") {
                guard at &+ 1 < buffer.count, isOneOfBoth(buffer[at &+ 1]) else { return nil }
                escapes &+= 1
            } else if byte < 128 {
                return nil
            }
            guard readSpecial(byte) else { return nil }
        }
        guard at < buffer.count, buffer[at] == UInt8(ascii: "\""), at > start,
            at &- start &- escapes <= min(Key.byteLimit, limits.keyBytes)
        else { return nil }
        put(UInt8(ascii: "\""))
        at &+= 1
        return escapes > 0
    }

    /// A quote or a backslash, the only characters of keys that are escaped.
    private func isOneOfBoth(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Reads a string, whose quote comes next.
    private mutating func readString() -> Bool {
        put(UInt8(ascii: "\""))
        at &+= 1
        let start = at
        while at < buffer.count, !isFull {
            if at &+ 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                output.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
                let marks = RecordScan.specialMarks(UInt64(littleEndian: word))
                let plain = marks == 0 ? 8 : marks.trailingZeroBitCount >> 3
                at &+= plain
                count &+= plain
                if marks == 0 { continue }
            }
            let byte = buffer[at]
            if byte == UInt8(ascii: "\"") {
                guard at &- start <= limits.stringBytes else { return false }
                put(byte)
                at &+= 1
                return true
            }
            guard readSpecial(byte) else { return false }
        }
        return false
    }

    /// Sets the top bit of the first byte that is a quote, a backslash, a control character or no ASCII;
    /// later ones may be marked wrongly.
    @inline(__always)
    private static func specialMarks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let quoteMarks = (quotes &- ones) & ~quotes
        let backslashMarks = (backslashes &- ones) & ~backslashes
        let controlMarks = (word &- 0x2020_2020_2020_2020) & ~word
        return (quoteMarks | backslashMarks | controlMarks | word) & 0x8080_8080_8080_8080
    }

    /// Reads one character of a string: an escape that is short or stands for itself, or one beyond ASCII.
    private mutating func readSpecial(_ byte: UInt8) -> Bool {
        if byte >= 0x80 {
            guard let length = JSONText.characterByteCount(at: at, in: buffer) else { return false }
            for index in 0..<length { put(buffer[at &+ index]) }
            at &+= length
            stretch.continuations &+= length &- 1
            return true
        }
        guard byte >= 0x20 else { return false }
        guard byte == UInt8(ascii: "\\") else {
            put(byte)
            at &+= 1
            return true
        }
        guard at &+ 1 < buffer.count else { return false }
        let escaped = buffer[at &+ 1]
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "r"),
            UInt8(ascii: "b"), UInt8(ascii: "f"):
            put(byte)
            put(escaped)
        case UInt8(ascii: "/"): put(escaped)
        case UInt8(ascii: "u"): return readControl()
        default: return false
        }
        at &+= 2
        return true
    }

    /// Reads the escape of a control character that has no shorter one, if it is written as we write it.
    private mutating func readControl() -> Bool {
        guard at &+ 6 <= buffer.count, buffer[at &+ 2] == UInt8(ascii: "0"),
            buffer[at &+ 3] == UInt8(ascii: "0"), buffer[at &+ 4] &- UInt8(ascii: "0") < 2
        else { return false }
        let low: UInt8
        switch buffer[at &+ 5] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): low = buffer[at &+ 5] &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): low = buffer[at &+ 5] &- UInt8(ascii: "a") &+ 10
        default: return false
        }
        switch (buffer[at &+ 4] &- UInt8(ascii: "0")) << 4 | low {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D: return false
        default: break
        }
        for index in 0..<6 { put(buffer[at &+ index]) }
        at &+= 6
        return true
    }
}

extension RecordScan {
    /// Reads a number and writes it as we do; most are written so already.
    private mutating func readNumber() -> Bool {
        let start = at
        var digits = 0
        if at < buffer.count, buffer[at] == UInt8(ascii: "-") { at &+= 1 }
        let first = at
        while at < buffer.count, buffer[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        digits = at &- first
        let beginsWithZero = first < buffer.count && buffer[first] == UInt8(ascii: "0")
        guard digits > 0, digits == 1 || !beginsWithZero else { return false }
        switch at < buffer.count ? buffer[at] : 0 {
        case UInt8(ascii: "."):
            if !isPlainFraction(digits: digits, isBelowOne: beginsWithZero) {
                return rewriteNumber(from: start)
            }
        case UInt8(ascii: "e"), UInt8(ascii: "E"): return rewriteNumber(from: start)
        default:
            // Not -0.
            guard digits <= 18, !beginsWithZero || first == start else { return rewriteNumber(from: start) }
        }
        for index in start..<at { put(buffer[index]) }
        return true
    }

    /// Reads on behind the digits before a point. Up to 15 digits are the shortest that tell a double from
    /// others, unless they end with a zero; below 1e-6 it would be written with an exponent.
    private mutating func isPlainFraction(digits: Int, isBelowOne: Bool) -> Bool {
        at &+= 1
        let first = at
        while at < buffer.count, buffer[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        let fraction = at &- first
        guard fraction > 0, digits &+ fraction <= 15, buffer[at &- 1] != UInt8(ascii: "0"),
            at == buffer.count || buffer[at] | 0x20 != UInt8(ascii: "e")
        else { return false }
        guard isBelowOne else { return true }
        return (first..<min(first &+ 6, at)).contains { buffer[$0] != UInt8(ascii: "0") }
    }

    /// Reads the number at `start` anew and writes it in its shortest form.
    private mutating func rewriteNumber(from start: Int) -> Bool {
        at = start
        while at < buffer.count, isInNumbers(buffer[at]) { at &+= 1 }
        var written: [UInt8] = []
        do throws(JSONError) {
            switch try JSONNumber(UnsafeRawBufferPointer(rebasing: buffer[start..<at])) {
            case .integer(let value): written.appendPacked(Node(.integer(value)))
            case .double(let value): written.appendPacked(Node(Leaf(number: value)))
            }
        } catch {
            // The reader comes to it again and says what is wrong.
            return false
        }
        for byte in written { put(byte) }
        return true
    }

    private func isInNumbers(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension RecordScan {
    /// Puts the members from `first` on, which end with the closing brace, into key order; false if two have
    /// the same key.
    private func sort(_ members: inout ContiguousArray<RecordScanner.Member>, from first: Int) -> Bool {
        var isSorted = true
        for index in first &+ 1..<max(members.count, first &+ 1) {
            switch order(members[index &- 1], members[index]) {
            case .ascending: break
            case .same: return false
            case .descending: isSorted = false
            }
        }
        if isSorted { return true }
        let start = members[first].start
        let length = count &- 1 &- start
        (output + spare).copyMemory(from: output + start, byteCount: length)
        // The members are few.
        for index in first &+ 1..<members.count {
            var place = index
            while place > first {
                let order = orderOfCopies(members[place &- 1], members[place], start: start)
                if order == .same { return false }
                if order == .ascending { break }
                members.swapAt(place &- 1, place)
                place &-= 1
            }
        }
        var target = start
        for index in first..<members.count {
            let member = members[index]
            if index > first {
                output.storeBytes(of: UInt8(ascii: ","), toByteOffset: target, as: UInt8.self)
                target &+= 1
            }
            let source = output + (spare &+ member.start &- start)
            (output + target).copyMemory(from: source, byteCount: member.end &- member.start)
            target &+= member.end &- member.start
        }
        return true
    }

    private func orderOfCopies(
        _ left: RecordScanner.Member, _ right: RecordScanner.Member, start: Int
    ) -> Ordering {
        order(left, right, shift: spare &- start)
    }

    /// The order of two keys, which stand in the output as many bytes further on as `shift` says.
    private func order(
        _ left: RecordScanner.Member, _ right: RecordScanner.Member, shift: Int = 0
    ) -> Ordering {
        let leftKey = key(left, shift)
        let rightKey = key(right, shift)
        if left.hasEscapes || right.hasEscapes {
            return Ordering(PackedText.key(leftKey), PackedText.key(rightKey))
        }
        if leftKey[0] > UInt8(ascii: "9"), rightKey[0] > UInt8(ascii: "9") {
            let leftWord = Key.word(leftKey, at: 0)
            let rightWord = Key.word(rightKey, at: 0)
            if leftWord != rightWord { return leftWord < rightWord ? .ascending : .descending }
        }
        return Ordering(Key(checked: leftKey), Key(checked: rightKey))
    }

    private func key(_ member: RecordScanner.Member, _ shift: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: output + (member.start &+ 1 &+ shift), count: member.keyEnd &- member.start &- 1)
    }
}
