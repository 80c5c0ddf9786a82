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

/// What a rule comes to, in its shortest form; why one failed is kept by the judge.
enum Truth {
    case satisfied, unsatisfied, failed
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

    func count(_ truth: Truth) {
        switch truth {
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
    let wildcard: RuleNode?
    /// The literal names of children, in order.
    private let names: [Key]
    /// The children of those names.
    private let literals: [RuleNode]
    /// Whether a `.validate` stands here or below.
    let validates: Bool
    /// Whether one stands below.
    let validatesBelow: Bool
    /// The places in `names` of the literal children of which the same holds, in order.
    private let validatingPlaces: [Int]
    /// How many levels of rules stand below.
    let height: Int

    init(
        read: Rule? = nil, write: Rule? = nil, validate: Rule? = nil, children: [Key: RuleNode] = [:],
        wildcard: RuleNode? = nil
    ) {
        self.read = read
        self.write = write
        self.validate = validate
        let sorted = children.sorted { $0.key < $1.key }
        names = sorted.map(\.key)
        let literals = sorted.map(\.value)
        self.literals = literals
        self.wildcard = wildcard
        validatingPlaces = literals.indices.filter { literals[$0].validates }
        validatesBelow = wildcard?.validates ?? false || !validatingPlaces.isEmpty
        validates = validate != nil || validatesBelow
        let below = literals + (wildcard.map { [$0] } ?? [])
        height = below.map { $0.height + 1 }.max() ?? 0
    }

    /// The rule of a kind that stands here. Its owner, this node, keeps it.
    @inline(__always)
    func rule(_ kind: RuleReference.Kind) -> Unmanaged<Rule>? {
        switch kind {
        case .read: read.map { Unmanaged.passUnretained($0) }
        case .write: write.map { Unmanaged.passUnretained($0) }
        case .validate: validate.map { Unmanaged.passUnretained($0) }
        }
    }

    /// What holds for a child; a literal name wins over `$name` completely.
    ///
    /// Its owner, this node, keeps it: a walk down the rules counts no references.
    func child(_ key: Key) -> Unmanaged<RuleNode>? {
        if let place = key.place(in: names) { return literal(at: place) }
        return wildcard.map { Unmanaged.passUnretained($0) }
    }

    /// The same by the name of a member.
    func child(_ name: PackedObject.Name) -> Unmanaged<RuleNode>? {
        if let place = name.place(in: names) { return literal(at: place) }
        return wildcard.map { Unmanaged.passUnretained($0) }
    }

    /// The child of just that name.
    func literal(_ key: Key) -> RuleNode? {
        key.place(in: names).map { literals[$0] }
    }

    /// Calls `body` with each literal child that validates, or has something below that does, and its name,
    /// in order, until it says no.
    ///
    /// - Returns: whether it never said no.
    func allValidatingLiterals(satisfy body: (Key, RuleNode) -> Bool) -> Bool {
        validatingPlaces.allSatisfy { place in
            literal(at: place)._withUnsafeGuaranteedRef { body(names[place], $0) }
        }
    }

    private func literal(at place: Int) -> Unmanaged<RuleNode> {
        literals.withUnsafeBufferPointer { Unmanaged.passUnretained($0[place]) }
    }
}
