// Walking over a text with all places of a pattern at once.

extension Pattern {
    /// Whether the pattern is found in a text, anywhere unless it is anchored; nil if that takes more than
    /// `steps`, from which the steps taken are subtracted.
    ///
    /// - Complexity: O(text · pattern), in one pass and without looking back.
    package func isFound(in text: String, steps: inout Int) -> Bool? {
        var text = text
        return text.withUTF8 { isFound(in: $0, steps: &steps) }
    }

    /// The same for a text in UTF-8.
    func isFound(in text: UnsafeBufferPointer<UInt8>, steps: inout Int) -> Bool? {
        // As many steps as the walk takes where each character leads to a single place.
        let least = 3 * text.count + 1
        if let table, steps > least, let isFound = table.isFound(in: text) {
            steps -= least
            return isFound
        }
        return codes.withUnsafeBufferPointer { codes in
            masks.withUnsafeBufferPointer { masks in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: codes.count * 4) { space in
                    var walk = PatternWalk(self, text: text, codes: codes, masks: masks, space: space)
                    walk.steps = steps
                    defer { steps = walk.steps }
                    return walk.run()
                }
            }
        }
    }
}

/// One walk over a text.
///
/// The space holds two lists of places, the stamps of when a place was last taken up, and a stack.
private struct PatternWalk {
    private let pattern: Pattern
    private let isAnchored: Bool
    private let text: UnsafeBufferPointer<UInt8>
    private let codes: UnsafeBufferPointer<Pattern.Code>
    private let masks: UnsafeBufferPointer<UInt64>
    private var current: UnsafeMutablePointer<Int32>
    private var following: UnsafeMutablePointer<Int32>
    private let stamps: UnsafeMutablePointer<Int32>
    private let stack: UnsafeMutablePointer<Int32>
    private var currentCount = 0
    private var followingCount = 0
    private var stamp: Int32 = 0
    private var index = 0
    var steps = 0

    init(
        _ pattern: Pattern, text: UnsafeBufferPointer<UInt8>, codes: UnsafeBufferPointer<Pattern.Code>,
        masks: UnsafeBufferPointer<UInt64>, space: UnsafeMutableBufferPointer<Int32>
    ) {
        guard let start = space.baseAddress else { preconditionFailure("a pattern has instructions") }
        self.pattern = pattern
        isAnchored = pattern.isAnchored
        self.text = text
        self.codes = codes
        self.masks = masks
        current = start
        following = start + codes.count
        stamps = start + codes.count * 2
        // A place is put on the stack at most once for each character.
        stack = start + codes.count * 3
        stamps.initialize(repeating: 0, count: codes.count)
    }

    mutating func run() -> Bool? {
        stamp = 1
        if takeUp(0) { return true }
        swapLists()
        while index < text.count {
            if isAnchored, currentCount == 1 { walkAlone() }
            guard steps > 0 else { return nil }
            guard index < text.count else { break }
            let scalar = nextScalar()
            stamp &+= 1
            if advance(by: scalar) { return true }
            if !isAnchored, takeUp(0) { return true }
            swapLists()
            steps -= currentCount + 1
            if currentCount == 0, isAnchored { return false }
        }
        return steps > 0 ? false : nil
    }

    /// Goes on from the only place to the next one as long as ASCII characters lead there and nowhere else:
    /// the commonest way by far, and the same number of steps as any other.
    private mutating func walkAlone() {
        // In variables of its own: the compiler would store each of them at every character.
        var place = Int(current[0])
        var index = index
        var steps = steps
        while index < text.count, steps > 0, codes[place &+ 1].kind == .set {
            let byte = text[index]
            let mask = masks[Int(codes[place].first) &* 2 &+ Int(byte >> 6 & 1)]
            guard byte < 0x80, mask &>> UInt64(byte & 63) & 1 == 1 else { break }
            index &+= 1
            place &+= 1
            steps &-= 3
        }
        current[0] = Int32(truncatingIfNeeded: place)
        self.index = index
        self.steps = steps
    }

    private mutating func swapLists() {
        swap(&current, &following)
        currentCount = followingCount
        followingCount = 0
    }

    /// Moves every place that takes the character; true at a match.
    private mutating func advance(by scalar: UInt32) -> Bool {
        for slot in 0..<currentCount {
            let place = Int(current[slot])
            if takes(scalar, Int(codes[place].first)), takeUp(place + 1) { return true }
        }
        return false
    }

    @inline(__always)
    private func takes(_ scalar: UInt32, _ set: Int) -> Bool {
        guard scalar >= 128 else {
            return masks[set * 2 + Int(scalar >> 6)] >> UInt64(scalar & 63) & 1 == 1
        }
        return pattern.sets[set].contains(scalar, ignoringCase: pattern.ignoresCase)
    }

    /// Adds a place and all that can be reached from it without a character; true at a match.
    private mutating func takeUp(_ first: Int) -> Bool {
        var height = 0
        push(Int32(truncatingIfNeeded: first), &height)
        while height > 0 {
            height -= 1
            let place = stack[height]
            let code = codes[Int(place)]
            steps -= 1
            switch code.kind {
            case .set:
                following[followingCount] = place
                followingCount += 1
            case .split:
                push(code.second, &height)
                push(code.first, &height)
            case .jump: push(code.first, &height)
            case .start: if index == 0 { push(place + 1, &height) }
            case .end: if index == text.count { push(place + 1, &height) }
            case .match: return true
            }
        }
        return false
    }

    @inline(__always)
    private func push(_ place: Int32, _ height: inout Int) {
        guard stamps[Int(place)] != stamp else { return }
        stamps[Int(place)] = stamp
        stack[height] = place
        height += 1
    }

    /// The next character; the text is valid UTF-8.
    private mutating func nextScalar() -> UInt32 {
        let lead = text[index]
        index += 1
        guard lead >= 0x80 else { return UInt32(lead) }
        let count = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
        var scalar = UInt32(lead) & (0x3F >> UInt32(count))
        for _ in 0..<count where index < text.count {
            scalar = scalar << 6 | UInt32(text[index] & 0x3F)
            index += 1
        }
        return scalar
    }
}
