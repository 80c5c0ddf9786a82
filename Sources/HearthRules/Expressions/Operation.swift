// What a compiled expression consists of.
import HearthCore

/// One step of a compiled expression; operands are named by their number in the expression, which is
/// lower than that of the step itself.
enum Operation: Sendable {
    // Values.
    case constant(Value)
    case auth
    case now
    /// The key that the wildcard at this depth matched: 0 is the first key of the location.
    case key(depth: Int)
    case member(Int, String)
    case element(Int, Int)
    case query(QueryFacts.Member)
    case file(FileFacts.Member)
    case choice(Int, Int, Int)

    // Snapshots.
    case root
    case data
    case newData
    case child(Int, PathArgument)
    case parent(Int)

    // What snapshots tell.
    case value(Int)
    case priority(Int)
    case exists(Int)
    case hasChild(Int, PathArgument)
    case hasAnyChild(Int)
    case hasChildren(Int, [PathArgument])
    case isKind(Int, Value.Kind)

    // Conditions.
    case not(Int)
    case all([Int])
    case any([Int])
    case equal(Int, Int)
    case unequal(Int, Int)
    case compare(BinaryOperator, Int, Int)

    // Numbers and texts.
    case negated(Int)
    case arithmetic(BinaryOperator, Int, Int)
    case length(Int)
    case search(StringSearch, Int, Int)
    case replace(Int, Int, Int)
    case lowercase(Int)
    case uppercase(Int)
    case matches(Int, Pattern)
}

/// The way from a snapshot to one below it.
enum PathArgument: Sendable {
    /// As it is written in the rule; nil is one that no data can have.
    case known([Key]?)
    /// The key that the wildcard at this depth matched.
    case captured(depth: Int)
    /// The text that a step yields.
    case computed(Int)
}

/// Where one text is looked for in another.
enum StringSearch: String, Sendable {
    case contains, beginsWith, endsWith
}

/// An expression that was checked and compiled once.
struct Expression: Sendable {
    /// The expression as it is written, its escapes resolved.
    let text: String
    /// The steps; the last one is the whole expression.
    let operations: ContiguousArray<Operation>
    /// The bytes of `text` that each step covers.
    let ranges: ContiguousArray<Range<Int>>

    /// Whether it walks up from where it walked down to.
    let walksUp: Bool

    init(text: String, operations: ContiguousArray<Operation>, ranges: ContiguousArray<Range<Int>>) {
        self.text = text
        self.operations = operations
        self.ranges = ranges
        walksUp = operations.contains { if case .parent = $0 { true } else { false } }
    }

    /// How many instructions its regular expressions have in all.
    var patternSize: Int {
        operations.reduce(0) { size, operation in
            if case .matches(_, let pattern) = operation { size + pattern.size } else { size }
        }
    }

    /// What it is whatever happens, if it is written so.
    var constant: Bool? {
        guard operations.count == 1, case .constant(.bool(let value)) = operations[0] else { return nil }
        return value
    }

    /// The part of the text that a step covers.
    func text(of step: Int) -> String {
        String(decoding: Array(text.utf8)[ranges[step]], as: UTF8.self)
    }
}
