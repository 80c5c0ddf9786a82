// Walking over a text with all places of a pattern at once.

extension Pattern {
    /// Whether the pattern is found in a text, anywhere unless it is anchored; nil if that takes more than
    /// `steps`, from which the steps taken are subtracted.
    ///
    /// - Complexity: O(text · pattern), in one pass and without looking back.
    package func isFound(in text: String, steps: inout Int) -> Bool? {
        var text = text
        var left = steps
        let found = text.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: instructions.count * 5) { space in
                var walk = PatternWalk(pattern: self, text: bytes, space: space, steps: left)
                defer { left = walk.steps }
                return walk.run()
            }
        }
        steps = left
        return found
    }
}

/// One walk over a text.
///
/// The space holds two lists of places, the stamps of when a place was last taken up, and a stack.
private struct PatternWalk {
    private let pattern: Pattern
    private let text: UnsafeBufferPointer<UInt8>
    private let size: Int
    private var current: UnsafeMutablePointer<Int32>
    private var following: UnsafeMutablePointer<Int32>
    private let stamps: UnsafeMutablePointer<Int32>
    private let stack: UnsafeMutablePointer<Int32>
    private var currentCount = 0
    private var followingCount = 0
    private var stamp: Int32 = 0
    private var index = 0
    var steps: Int

    init(
        pattern: Pattern, text: UnsafeBufferPointer<UInt8>, space: UnsafeMutableBufferPointer<Int32>,
        steps: Int
    ) {
        guard let start = space.baseAddress else { preconditionFailure("a pattern has instructions") }
        self.pattern = pattern
        self.text = text
        self.steps = steps
        size = pattern.instructions.count
        current = start
        following = start + size
        stamps = start + size * 2
        // Each place pushes at most two others, once a character.
        stack = start + size * 3
        stamps.initialize(repeating: 0, count: size)
    }

    mutating func run() -> Bool? {
        stamp = 1
        if takeUp(0) { return true }
        swapLists()
        while index < text.count {
            guard steps > 0 else { return nil }
            let scalar = nextScalar()
            stamp &+= 1
            if advance(by: scalar) { return true }
            if !pattern.isAnchored, takeUp(0) { return true }
            swapLists()
            steps -= currentCount + 1
            if currentCount == 0, pattern.isAnchored { return false }
        }
        return steps > 0 ? false : nil
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
            guard case .set(let number) = pattern.instructions[place],
                pattern.sets[number].contains(scalar, ignoringCase: pattern.ignoresCase)
            else { continue }
            if takeUp(place + 1) { return true }
        }
        return false
    }

    /// Adds a place and all that can be reached from it without a character; true at a match.
    private mutating func takeUp(_ first: Int) -> Bool {
        var height = 0
        push(first, &height)
        while height > 0 {
            height -= 1
            let place = Int(stack[height])
            steps -= 1
            switch pattern.instructions[place] {
            case .set:
                following[followingCount] = Int32(truncatingIfNeeded: place)
                followingCount += 1
            case .split(let left, let right):
                push(right, &height)
                push(left, &height)
            case .jump(let target): push(target, &height)
            case .start: if index == 0 { push(place + 1, &height) }
            case .end: if index == text.count { push(place + 1, &height) }
            case .match: return true
            }
        }
        return false
    }

    @inline(__always)
    private func push(_ place: Int, _ height: inout Int) {
        guard stamps[place] != stamp else { return }
        stamps[place] = stamp
        stack[height] = Int32(truncatingIfNeeded: place)
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
