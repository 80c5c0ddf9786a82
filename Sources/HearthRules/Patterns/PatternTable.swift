// Patterns with few states, worked out beforehand: a match is one look into a table for each character.

/// What becomes of a small pattern at each ASCII character, so that nothing is left to do but to look it up.
///
///     next[state · 128 + character]     0 is lost, 1 is found: what follows changes nothing
///
/// A state stands for all places of the program that the walk could be at; most patterns have a few dozen.
struct PatternTable: Sendable {
    /// No pattern with more states, or more instructions, has a table.
    private static let stateLimit = 64
    private static let sizeLimit = 160

    private let next: ContiguousArray<UInt8>
    /// A bit for each state in which the pattern is found if the text ends there.
    private let ends: UInt64
    private let first: Int

    /// Whether the pattern is found in a text in UTF-8; nil if it is not all ASCII.
    func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool? {
        next.withUnsafeBufferPointer { next in
            guard let next = next.baseAddress, let start = text.baseAddress else {
                return ends &>> UInt64(truncatingIfNeeded: first) & 1 == 1
            }
            var state = first
            for byte in start..<start + text.count {
                guard byte.pointee < 0x80 else { return nil }
                state = Int(next[state &<< 7 | Int(byte.pointee)])
            }
            return ends &>> UInt64(truncatingIfNeeded: state) & 1 == 1
        }
    }

    /// Works a program out; nil if it is too large, or becomes so.
    ///
    /// - Parameter masks: two words of bits for each set: which ASCII characters are in it.
    init?(_ instructions: [Pattern.Instruction], masks: ContiguousArray<UInt64>, isAnchored: Bool) {
        guard instructions.count <= Self.sizeLimit else { return nil }
        var builder = PatternTableBuilder(
            instructions: instructions, masks: masks, isAnchored: isAnchored, stateLimit: Self.stateLimit)
        guard let first = builder.build() else { return nil }
        self.first = first
        next = builder.next
        ends = builder.ends
    }
}

/// Finds the states of a pattern, one after the other.
private struct PatternTableBuilder {
    /// Where a walk may be between two characters.
    private struct State: Hashable {
        /// The places that take a character.
        var places: [Int] = []
        /// Whether the pattern is found if the text ends here.
        var endsHere = false
        /// Whether it is found already.
        var isFound = false
    }

    let instructions: [Pattern.Instruction]
    let masks: ContiguousArray<UInt64>
    let isAnchored: Bool
    let stateLimit: Int
    private(set) var next: ContiguousArray<UInt8> = []
    private(set) var ends: UInt64 = 0
    private var states: [State] = []
    private var numbers: [State: Int] = [:]

    init(
        instructions: [Pattern.Instruction], masks: ContiguousArray<UInt64>, isAnchored: Bool,
        stateLimit: Int
    ) {
        self.instructions = instructions
        self.masks = masks
        self.isAnchored = isAnchored
        self.stateLimit = stateLimit
    }

    /// The number of the first state; nil if there are too many.
    mutating func build() -> Int? {
        _ = number(of: State())
        _ = number(of: State(endsHere: true, isFound: true))
        guard let first = number(of: state(from: [0], isFirst: true)) else { return nil }
        let classes = classes()
        var done = 0
        while done < states.count {
            let row = done * 128
            for characters in classes {
                let target = states[done].isFound ? states[done] : after(states[done], characters[0])
                guard let number = number(of: target) else { return nil }
                for character in characters { next[row + character] = UInt8(number) }
            }
            done += 1
        }
        return first
    }

    /// The characters that all sets treat alike, together.
    private func classes() -> [[Int]] {
        let all = (0..<128).map { character in
            (character, (0..<masks.count / 2).filter { takes(character, $0) })
        }
        return Dictionary(grouping: all) { $0.1 }.values.map { $0.map(\.0) }.sorted { $0[0] < $1[0] }
    }

    private func takes(_ character: Int, _ set: Int) -> Bool {
        masks[set * 2 + character / 64] >> UInt64(character % 64) & 1 == 1
    }

    private mutating func number(of state: State) -> Int? {
        if let known = numbers[state] { return known }
        guard states.count < stateLimit else { return nil }
        let number = states.count
        states.append(state)
        numbers[state] = number
        next.append(contentsOf: repeatElement(0, count: 128))
        if state.endsHere { ends |= 1 << UInt64(number) }
        return number
    }

    private func after(_ state: State, _ character: Int) -> State {
        var reached: [Int] = []
        for place in state.places {
            if case .set(let set) = instructions[place], takes(character, set) { reached.append(place + 1) }
        }
        return self.state(from: isAnchored ? reached : reached + [0], isFirst: false)
    }

    /// Where a walk may be that has come to these places.
    private func state(from places: [Int], isFirst: Bool) -> State {
        let within = reached(from: places, isFirst: isFirst, isLast: false)
        if within.isFound { return State(endsHere: true, isFound: true) }
        let last = reached(from: places, isFirst: isFirst, isLast: true)
        return State(places: within.places.sorted(), endsHere: last.isFound)
    }

    private func reached(
        from places: [Int], isFirst: Bool, isLast: Bool
    ) -> (places: [Int], isFound: Bool) {
        var open = places
        var seen = Set(places)
        var takers: [Int] = []
        var isFound = false
        func push(_ place: Int) {
            if seen.insert(place).inserted { open.append(place) }
        }
        while let place = open.popLast() {
            switch instructions[place] {
            case .set: takers.append(place)
            case .split(let left, let right):
                push(left)
                push(right)
            case .jump(let target): push(target)
            case .start: if isFirst { push(place + 1) }
            case .end: if isLast { push(place + 1) }
            case .match: isFound = true
            }
        }
        return (takers, isFound)
    }
}
