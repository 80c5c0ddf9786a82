// One judgement: the place it has come to, and what it has spent and seen.
import HearthCore

/// Walks down the rules and the data together and evaluates rules where they stand.
struct Judge {
    /// What a snapshot in a rule is: a place of the old or the new state.
    struct Snapshot {
        var node: Node
        var isAfter: Bool
        /// How many keys of the way to the present place lead to where it hangs.
        var depth: Int
        /// The steps from there; only kept where they are needed.
        var tail: [Key] = []
        /// Whether no data can have its path.
        var isNowhere = false
    }

    /// The variable `auth`.
    let auth: Value
    let now: Int64
    let files: FileFacts
    var query = QueryFacts(query: nil)

    /// The way to the present place, or to the one that was asked for.
    private(set) var keys: [Key] = []
    /// The names on the way to a file, which need not be keys; nil for data.
    let names: [String]?
    /// The old state, and the nodes along the way in it, as far as they were asked for.
    private var before: Chain
    /// The same in the new state.
    private var after: Chain
    /// How many keys lead to the rule that is evaluated.
    var location = 0

    /// Steps that the present rule may still take.
    var steps = 0
    private var requestSteps: Int
    private let ruleSteps: Int

    private let records: JudgingContext.Records
    private(set) var reads = ReadSet()
    private(set) var evaluations: [Evaluation] = []
    var trace: Trace?

    private var expression = Expression.none
    /// The present rule's steps.
    var operations: ContiguousArray<Operation> { expression.operations }
    /// What they name.
    var tables: OperationTables { expression.tables }
    /// Whether snapshots must know their path.
    var keepsTails = false

    init(
        _ context: JudgingContext, after: Node? = nil, files: FileFacts = FileFacts(), names: [String]? = nil
    ) {
        auth = context.auth.map { Value($0.variable) } ?? .null
        now = context.now
        self.files = files
        self.names = names
        before = Chain(root: context.root)
        self.after = Chain(root: after ?? context.root)
        requestSteps = context.limits.stepsPerRequest
        ruleSteps = context.limits.stepsPerRule
        records = context.records
    }

    /// Begins at the root, on the way to a place.
    mutating func begin(_ path: Path) {
        keys = path.keys
        before.ascend(to: 0)
        after.ascend(to: 0)
    }

    /// Goes one step down, to what stands there in the new state.
    mutating func descend(_ key: Key, to node: Node) {
        after.descend(to: node, at: keys.count)
        keys.append(key)
    }

    /// Goes one step up.
    mutating func ascend() {
        keys.removeLast()
        before.ascend(to: keys.count)
        after.ascend(to: keys.count)
    }

    /// What stands in the old state where the first `depth` keys lead.
    mutating func old(at depth: Int) -> Node {
        before.node(at: depth, keys)
    }

    /// What stands in the new state where the first `depth` keys lead.
    mutating func new(at depth: Int) -> Node {
        after.node(at: depth, keys)
    }

    /// Nodes along a way, each looked up at most once.
    private struct Chain {
        let root: Node
        private var nodes: ContiguousArray<Node> = []

        init(root: Node) {
            self.root = root
        }

        mutating func node(at depth: Int, _ keys: [Key]) -> Node {
            guard depth > 0 else { return root }
            while nodes.count < depth {
                let count = nodes.count
                if count == 0 { nodes.reserveCapacity(8) }
                nodes.append(count == 0 ? root.child(keys[0]) : nodes[count - 1].child(keys[count]))
            }
            return nodes[depth - 1]
        }

        /// Takes the node below the first `depth` keys, if it is the next one to be looked up.
        mutating func descend(to node: Node, at depth: Int) {
            if nodes.count == depth { nodes.append(node) }
        }

        mutating func ascend(to depth: Int) {
            if nodes.count > depth { nodes.removeLast(nodes.count - depth) }
        }
    }

    var isRecording: Bool { records.contains(.reads) }

    mutating func record(_ snapshot: Snapshot, below tail: [Key] = []) {
        guard isRecording, !snapshot.isAfter, !snapshot.isNowhere else { return }
        reads.insert(Path(keys[..<snapshot.depth] + snapshot.tail + tail))
    }

    mutating func recordNow() {
        reads.usesNow = true
    }

    mutating func spend(_ count: Int) throws(EvaluationError) {
        steps -= count
        if steps < 0 { throw .tooMuchWork }
    }

    /// Evaluates a rule at the place to which the first `depth` keys lead.
    mutating func evaluate(_ rule: Rule, at depth: Int) -> Evaluation.Outcome {
        let outcome: Evaluation.Outcome
        if let constant = rule.expression.constant {
            outcome = constant ? .satisfied : .unsatisfied
        } else {
            outcome = run(rule.expression, at: depth)
        }
        if trace == nil, records.contains(.counts) { rule.count(outcome) }
        if records.contains(.evaluations) {
            evaluations.append(Evaluation(rule: rule.reference.number, outcome: outcome))
        }
        if trace != nil {
            let way = names ?? keys.map(\.text)
            trace?.end(rule, at: "/" + way.prefix(depth).joined(separator: "/"), outcome)
        }
        return outcome
    }

    private mutating func run(_ expression: Expression, at depth: Int) -> Evaluation.Outcome {
        location = depth
        self.expression = expression
        keepsTails = expression.walksUp || isRecording
        let granted = min(ruleSteps, requestSteps)
        steps = granted
        defer { requestSteps -= granted - max(0, steps) }
        do throws(EvaluationError) {
            return try condition(operations.count - 1) ? .satisfied : .unsatisfied
        } catch {
            return .failed(error.description)
        }
    }
}
