// A regular expression, compiled so that a match takes time linear in the text, whatever the pattern.

/// A compiled regular expression.
///
/// It looks at Unicode scalars: `.` takes a whole emoji of one scalar, where `length` counts two. Groups
/// capture nothing and nothing looks around, so that one walk over the text with the set of all places in
/// the pattern that can be reached decides; a place is never taken up twice for the same character.
package struct Pattern: Sendable {
    /// One step of the program.
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

    /// The most instructions that a pattern may have; counted repetitions are written out.
    static let sizeLimit = 4_096

    let instructions: [Instruction]
    let sets: [CharacterSet]
    let ignoresCase: Bool
    /// Whether every match begins where the text does.
    let isAnchored: Bool

    /// Compiles a pattern without its slashes.
    ///
    /// - Throws: `PatternError` if it is outside the documented subset, or too large.
    package init(_ text: String, ignoresCase: Bool = false) throws(PatternError) {
        var parser = PatternParser(text)
        let syntax = try parser.parse()
        var compiler = PatternCompiler(ignoresCase: ignoresCase)
        guard compiler.compile(syntax), compiler.append(.match) else {
            let message =
                "regular expression is too large: at most \(Self.sizeLimit) steps, repetitions written out"
            throw PatternError(message: message, offset: 0)
        }
        instructions = compiler.instructions
        sets = compiler.sets
        self.ignoresCase = ignoresCase
        isAnchored = instructions[0] == .start
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
