// A regular expression, compiled so that a match takes time linear in the text, whatever the pattern.

/// A compiled regular expression.
///
/// It looks at Unicode scalars: `.` takes a whole emoji of one scalar, where `length` counts two. Groups
/// capture nothing and nothing looks around, so that one walk over the text with the set of all places in
/// the pattern that can be reached decides; a place is never taken up twice for the same character.
package final class Pattern: Sendable {
    /// What one step of the program does with the place that it stands for.
    enum Instruction: Hashable, Sendable {
        /// Takes a character of the set with that number and goes on with the next instruction.
        case set(Int)
        /// Goes on at both.
        case split(Int, Int)
        case jump(Int)
        /// Goes on only at the beginning of the text.
        case start
        /// Goes on only at the end of the text.
        case end
        case match
    }

    /// An instruction as the walk reads it: what it is, and two numbers.
    struct Code {
        enum Kind: UInt8 {
            case set, split, jump, start, end, match
        }

        let kind: Kind
        let first: Int32
        let second: Int32

        init(_ instruction: Instruction) {
            switch instruction {
            case .set(let number): self.init(kind: .set, number)
            case .split(let left, let right): self.init(kind: .split, left, right)
            case .jump(let target): self.init(kind: .jump, target)
            case .start: self.init(kind: .start)
            case .end: self.init(kind: .end)
            case .match: self.init(kind: .match)
            }
        }

        private init(kind: Kind, _ first: Int = 0, _ second: Int = 0) {
            self.kind = kind
            self.first = Int32(truncatingIfNeeded: first)
            self.second = Int32(truncatingIfNeeded: second)
        }
    }

    /// The most instructions that a pattern may have; counted repetitions are written out.
    static let sizeLimit = 4_096

    let codes: ContiguousArray<Code>
    /// Two words of bits for each set: which ASCII characters are in it.
    let masks: ContiguousArray<UInt64>
    let sets: [CharacterSet]
    let ignoresCase: Bool
    /// Whether every match begins where the text does.
    let isAnchored: Bool
    /// The same worked out, for what is not too large.
    let table: PatternTable?

    /// How many instructions it has.
    var size: Int { codes.count }

    /// Compiles a pattern without its slashes.
    ///
    /// - Throws: `PatternError` if it is outside the documented subset, or too large.
    package init(_ text: String, ignoresCase: Bool = false) throws(PatternError) {
        var parser = PatternParser(text)
        let syntax = try parser.parse()
        var compiler = PatternCompiler(ignoresCase: ignoresCase)
        guard compiler.compile(syntax), compiler.append(.match) else {
            let message = "regular expression is too large: more than \(Self.sizeLimit) steps, written out"
            throw PatternError(message: message, offset: 0)
        }
        codes = ContiguousArray(compiler.instructions.map { Code($0) })
        masks = ContiguousArray(compiler.sets.flatMap(\.asciiWords))
        sets = compiler.sets
        self.ignoresCase = ignoresCase
        isAnchored = compiler.instructions[0] == .start
        table = PatternTable(compiler.instructions, masks: masks, isAnchored: isAnchored)
    }
}

/// Writes the program of a pattern; false when it becomes too large.
private struct PatternCompiler {
    var instructions: [Pattern.Instruction] = []
    var sets: [CharacterSet] = []
    let ignoresCase: Bool

    init(ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
    }

    mutating func append(_ instruction: Pattern.Instruction) -> Bool {
        guard instructions.count < Pattern.sizeLimit else { return false }
        instructions.append(instruction)
        return true
    }

    mutating func compile(_ syntax: PatternSyntax) -> Bool {
        switch syntax {
        case .set(let set): append(.set(number(of: set)))
        case .sequence(let parts): parts.allSatisfy { compile($0) }
        case .choice(let branches): compile(branches[...])
        case .repeated(let part, let least, let most): compile(part, atLeast: least, atMost: most)
        case .start: append(.start)
        case .end: append(.end)
        }
    }

    private mutating func number(of set: CharacterSet) -> Int {
        var set = set
        if ignoresCase { set.foldASCII() }
        if let number = sets.lastIndex(of: set) { return number }
        sets.append(set)
        return sets.count - 1
    }

    private mutating func compile(_ branches: ArraySlice<PatternSyntax>) -> Bool {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let split = instructions.count
            guard append(.split(0, 0)), compile(branch), append(.jump(0)) else { return false }
            ends.append(instructions.count - 1)
            instructions[split] = .split(split + 1, instructions.count)
        }
        guard let last = branches.last, compile(last) else { return false }
        for end in ends { instructions[end] = .jump(instructions.count) }
        return true
    }

    private mutating func compile(_ part: PatternSyntax, atLeast least: Int, atMost most: Int?) -> Bool {
        for _ in 0..<least where !compile(part) { return false }
        guard let most else { return compileLoop(part) }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(instructions.count)
            guard append(.split(0, 0)), compile(part) else { return false }
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        return true
    }

    private mutating func compileLoop(_ part: PatternSyntax) -> Bool {
        let split = instructions.count
        guard append(.split(0, 0)), compile(part), append(.jump(split)) else { return false }
        instructions[split] = .split(split + 1, instructions.count)
        return true
    }
}
