// One rule, and the tree in which rules stand.
import HearthCore
import Synchronization

/// Which rule it is: where it stands, and what it is about.
public struct RuleReference: Hashable, Sendable {
    /// What a rule is asked for.
    public enum Kind: String, Hashable, Sendable {
        /// Whether somebody may read.
        case read = ".read"
        /// Whether somebody may write.
        case write = ".write"
        /// Whether what would stand there is in order.
        case validate = ".validate"
    }

    /// Its number in the rule set, from 0, in the order of the text.
    public let number: Int
    /// What it is asked for.
    public let kind: Kind
    /// Where it stands, wildcards as they are written: `/rooms/$room`.
    public let place: String
    /// The line on which it begins, from 1.
    public let line: Int
    /// The column at which it begins, from 1, in characters.
    public let column: Int
}

/// How often a rule came to what.
public struct RuleCount: Hashable, Sendable {
    /// It was true.
    public let satisfied: Int
    /// It was false.
    public let unsatisfied: Int
    /// It could not be evaluated.
    public let failed: Int
}

/// One rule.
final class Rule: Sendable {
    let reference: RuleReference
    let expression: Expression
    private let satisfied = Atomic(0)
    private let unsatisfied = Atomic(0)
    private let failed = Atomic(0)

    init(reference: RuleReference, expression: Expression) {
        self.reference = reference
        self.expression = expression
    }

    func count(_ outcome: Evaluation.Outcome) {
        switch outcome {
        case .satisfied: satisfied.add(1, ordering: .relaxed)
        case .unsatisfied: unsatisfied.add(1, ordering: .relaxed)
        case .failed: failed.add(1, ordering: .relaxed)
        }
    }

    var count: RuleCount {
        RuleCount(
            satisfied: satisfied.load(ordering: .relaxed), unsatisfied: unsatisfied.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed))
    }
}

/// The rules of one place, and the places below it.
final class RuleNode: Sendable {
    let read: Rule?
    let write: Rule?
    let validate: Rule?
    /// The literal names of children, in order.
    private let names: [Key]
    /// The children of those names.
    private let literals: [RuleNode]
    let wildcard: RuleNode?
    /// Whether a `.validate` stands here or below.
    let validates: Bool
    /// Whether one stands below.
    let validatesBelow: Bool
    /// The literal children of which the same holds, in the order of their keys.
    let validatingChildren: [(key: Key, node: RuleNode)]

    init(
        read: Rule? = nil, write: Rule? = nil, validate: Rule? = nil, children: [Key: RuleNode] = [:],
        wildcard: RuleNode? = nil
    ) {
        self.read = read
        self.write = write
        self.validate = validate
        let sorted = children.sorted { $0.key < $1.key }
        names = sorted.map(\.key)
        literals = sorted.map(\.value)
        self.wildcard = wildcard
        validatingChildren = sorted.filter { $0.value.validates }.map { (key: $0.key, node: $0.value) }
        validatesBelow = wildcard?.validates ?? false || !validatingChildren.isEmpty
        validates = validate != nil || validatesBelow
    }

    /// What holds for a child; a literal name wins over `$name` completely.
    func child(_ key: Key) -> RuleNode? {
        literal(key) ?? wildcard
    }

    /// The child of just that name. O(log n); for the few that rules have, faster than hashing.
    func literal(_ key: Key) -> RuleNode? {
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < names.count && names[low] == key ? literals[low] : nil
    }
}
