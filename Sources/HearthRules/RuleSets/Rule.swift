// One rule, and the tree in which rules stand.
import HearthCore

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

/// One rule.
final class Rule: Sendable {
    let reference: RuleReference
    let expression: Expression

    init(reference: RuleReference, expression: Expression) {
        self.reference = reference
        self.expression = expression
    }
}

/// The rules of one place, and the places below it.
final class RuleNode: Sendable {
    let read: Rule?
    let write: Rule?
    let validate: Rule?
    let children: [Key: RuleNode]
    let wildcard: RuleNode?
    /// Whether a `.validate` stands here or below.
    let validates: Bool
    /// The literal children of which the same holds, in the order of their keys.
    let validatingChildren: [(key: Key, node: RuleNode)]

    init(
        read: Rule? = nil, write: Rule? = nil, validate: Rule? = nil, children: [Key: RuleNode] = [:],
        wildcard: RuleNode? = nil
    ) {
        self.read = read
        self.write = write
        self.validate = validate
        self.children = children
        self.wildcard = wildcard
        validatingChildren = children.filter { $0.value.validates }.sorted { $0.key < $1.key }
            .map { (key: $0.key, node: $0.value) }
        validates = validate != nil || wildcard?.validates ?? false || !validatingChildren.isEmpty
    }

    /// What holds for a child; a literal name wins over `$name` completely.
    func child(_ key: Key) -> RuleNode? {
        children[key] ?? wildcard
    }
}
