// What a compiled expression consists of.
import HearthCore

/// One step of a compiled expression; operands are named by their number in the expression, which is
/// lower than that of the step itself.
///
/// It holds numbers alone, so that reading one costs no reference counting: what is larger is named by its
/// place in one of the expression's tables.
enum Operation: Sendable {
    // Values.
    /// The place in the table of constants.
    case constant(Int)
    case auth
    case now
    /// The key that the wildcard at this depth matched: 0 is the first key of the location.
    case key(depth: Int)
    /// The place of the name in the table of names.
    case member(Int, name: Int)
    /// The member `uid` of `auth`, the step of which it names.
    case uid(Int)
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
    /// The places of the names in the table of arguments.
    case hasChildren(Int, Range<Int>)
    /// The same where all names are written out and single keys: their places in the table of keys.
    case hasNames(Int, Range<Int>)
    case isKind(Int, Leaf.Kind)

    // Conditions.
    case not(Int)
    /// The places of the operands in their table.
    case all(Range<Int>)
    case any(Range<Int>)
    case equal(Int, Int)
    case unequal(Int, Int)
    case compare(BinaryOperator, Int, Int)
    /// The same where the left one is the `length` of the text at a snapshot, and the right one a whole
    /// number that is written there: what most rules ask of a text. Its place in the table of comparisons.
    case compareLength(Int)

    // Numbers and texts.
    case negated(Int)
    case arithmetic(BinaryOperator, Int, Int)
    case length(Int)
    case search(StringSearch, Int, Int)
    case replace(Int, Int, Int)
    case lowercase(Int)
    case uppercase(Int)
    /// The place of the pattern in its table.
    case matches(Int, pattern: Int)
}

/// The way from a snapshot to one below it.
enum PathArgument: Sendable {
    /// As it is written in the rule: the place in the table of keys, if it is a single one.
    case step(Int)
    /// As it is written in the rule: the place in the table of ways.
    case known(Int)
    /// The key that the wildcard at this depth matched.
    case captured(depth: Int)
    /// The text that a step yields.
    case computed(Int)
}

/// Where one text is looked for in another.
enum StringSearch: String, Sendable {
    case contains, beginsWith, endsWith
}

/// What operations name by its place.
struct OperationTables: Sendable {
    var constants: ContiguousArray<Value> = []
    var names: ContiguousArray<String> = []
    var keys: ContiguousArray<Key> = []
    var ways: ContiguousArray<Way> = []
    var arguments: ContiguousArray<PathArgument> = []
    var operands: ContiguousArray<Int> = []
    var patterns: ContiguousArray<Pattern> = []
    var comparisons: ContiguousArray<LengthComparison> = []
}

/// The `length` of the text at a snapshot beside a whole number.
struct LengthComparison: Sendable {
    let sign: BinaryOperator
    /// The steps of both.
    let left: Int
    let right: Int
    let snapshot: Int
    let limit: Int64
}

extension ContiguousArray {
    /// Appends an entry and returns its place.
    mutating func place(of entry: Element) -> Int {
        append(entry)
        return count - 1
    }

    /// Appends entries and returns their places.
    mutating func places(of entries: [Element]) -> Range<Int> {
        append(contentsOf: entries)
        return count - entries.count..<count
    }
}

/// An expression that was checked and compiled once.
final class Expression: Sendable {
    /// The expression as it is written, its escapes resolved.
    let text: String
    /// The steps; the last one is the whole expression.
    let operations: ContiguousArray<Operation>
    let tables: OperationTables
    /// The bytes of `text` that each step covers.
    let ranges: ContiguousArray<Range<Int>>

    /// Whether it walks up from where it walked down to.
    let walksUp: Bool
    /// What it is whatever happens, if it is written so.
    let constant: Bool?

    init(
        text: String, operations: ContiguousArray<Operation>, tables: OperationTables,
        ranges: ContiguousArray<Range<Int>>
    ) {
        self.text = text
        self.operations = operations
        self.tables = tables
        self.ranges = ranges
        walksUp = operations.contains { if case .parent = $0 { true } else { false } }
        if operations.count == 1, case .constant(let place) = operations[0],
            case .bool(let value) = tables.constants[place]
        {
            constant = value
        } else {
            constant = nil
        }
    }

    /// What a judge has in hand before it comes to the first rule.
    static let none = Expression(text: "", operations: [], tables: OperationTables(), ranges: [])

    /// How many instructions its regular expressions have in all.
    var patternSize: Int {
        operations.reduce(0) { size, operation in
            if case .matches(_, let pattern) = operation {
                size + tables.patterns[pattern].size
            } else {
                size
            }
        }
    }

    /// The part of the text that a step covers.
    func text(of step: Int) -> String {
        String(decoding: Array(text.utf8)[ranges[step]], as: UTF8.self)
    }
}
