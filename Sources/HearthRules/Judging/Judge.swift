// One judgement: the place it has come to, and what it has spent and seen.
import HearthCore

/// Walks down the rules and the data together and evaluates rules where they stand.
///
/// Every write is judged, so this must cost next to nothing: it is made on the stack for one question, looks
/// each node up once and then where it keeps it, and counts no reference to a rule or an expression, which
/// whoever asks keeps until he has his answer. What only some judgements need stands apart, in
/// `circumstances` and `notes`.
struct Judge {
    /// A level of the way from the root down to the present place.
    struct Level {
        /// The key that leads here from the level above; nil for the root.
        var key: Key?
        /// What stands here before and after the write, as far as it was looked up.
        var old: Spot
        var new: Spot
    }

    /// A node with what is asked of it again and again.
    struct Spot {
        var node = Node.empty
        var nature = Node.Nature.nothing
        /// Once somebody has asked.
        var lengths: Node.TextLengths?

        init() {}

        init(_ node: Node) {
            self.node = node
            nature = node.nature
        }
    }

    /// Who asks; nil is nobody who is signed in.
    let auth: Auth?
    let now: Int64
    /// What is asked beyond a place of the data.
    let circumstances: Circumstances?
    /// Whether the present rule may see the query.
    var seesQuery = false

    /// As many as the rules are high; what stands below their lowest is nobody's business.
    let levels: UnsafeMutableBufferPointer<Level>
    /// To which depth the levels hold what stands there in the old state, and in the new one.
    private var oldDepth = 0
    private var newDepth = 0
    /// How many keys lead to the rule that is evaluated.
    private(set) var location = 0

    /// Steps that the present rule may still take.
    var steps = 0
    private var requestSteps: Int
    private let ruleSteps: Int

    private let records: JudgingContext.Records
    /// What is kept for later; nil if nothing is.
    let notes: Notes?
    let isTracing: Bool

    /// The present rule's expression, and its steps.
    private(set) var expression = Unmanaged.passUnretained(Expression.none)
    private(set) var operations: UnsafeBufferPointer<Operation>
    /// Whether snapshots must know their path.
    private(set) var keepsTails = false
    /// The steps from where snapshots hang down to where they have come, those of the outermost first.
    var tails: [Key] = []

    /// Why the last rule that was not true could not be evaluated; nil if it was false.
    private var failure: String?
    private var answer = Answer.allowed

    private init(
        _ context: JudgingContext, _ circumstances: Circumstances?, _ notes: Notes?,
        levels: UnsafeMutableBufferPointer<Level>
    ) {
        auth = context.auth
        now = context.now
        self.circumstances = circumstances
        self.levels = levels
        requestSteps = context.limits.stepsPerRequest
        ruleSteps = context.limits.stepsPerRule
        records = context.records
        self.notes = notes
        isTracing = notes?.trace != nil
        operations = UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Has a question answered.
    ///
    /// - Parameters:
    ///   - after: the whole database as it would be.
    ///   - root: the rules.
    ///   - notes: where to note what is to be kept; nil if nothing is.
    ///   - question: what is asked.
    static func judge(
        _ context: JudgingContext, leadingTo after: Node, under root: RuleNode,
        _ circumstances: Circumstances?, _ notes: Notes?, _ question: Question
    ) -> Answer {
        withUnsafeTemporaryAllocation(of: Level.self, capacity: root.height + 1) { levels in
            levels.initializeElement(at: 0, to: Level(old: Spot(context.root), new: Spot(after)))
            for depth in 1..<levels.count {
                levels.initializeElement(at: depth, to: Level(old: Spot(), new: Spot()))
            }
            defer { for depth in levels.indices { levels.deinitializeElement(at: depth) } }
            var judge = Judge(context, circumstances, notes, levels: levels)
            let isAllowed =
                switch question {
                case .read(let path): judge.read(path, by: root)
                case .write(let edits): judge.write(edits, by: root)
                case .file(let kind, let circumstances): judge.file(kind, circumstances, by: root)
                }
            precondition(isAllowed == judge.answer.isAllowed, "what is refused is denied")
            return judge.answer
        }
    }

    /// Begins at the root, on the way to a place.
    mutating func begin(_ path: Path) {
        oldDepth = 0
        newDepth = 0
        let depth = min(path.depth, levels.count - 1)
        for index in 0..<depth { levels[index + 1].key = path.keys[index] }
    }

    /// Goes down to a child, to what stands there in the new state.
    mutating func descend(_ key: Key, to node: Node, at depth: Int) {
        levels[depth].key = key
        levels[depth].new = Spot(node)
        newDepth = depth
        oldDepth = min(oldDepth, depth - 1)
    }

    /// The key that leads to a depth, which is not 0.
    func key(to depth: Int) -> Key {
        guard let key = levels[depth].key else { preconditionFailure("no rule stands beside the way") }
        return key
    }

    /// The way to a depth.
    func keys(to depth: Int) -> [Key] {
        levels.prefix(depth + 1).compactMap(\.key)
    }

    /// Looks up what stands in the old state where the first `depth` keys lead, unless that was done.
    @inline(__always)
    mutating func reachOld(_ depth: Int) {
        if oldDepth < depth { lookUpOld(depth) }
    }

    /// Looks up what stands in the new state where the first `depth` keys lead, unless that was done.
    @inline(__always)
    mutating func reachNew(_ depth: Int) {
        if newDepth < depth { lookUpNew(depth) }
    }

    private mutating func lookUpOld(_ depth: Int) {
        while oldDepth < depth {
            oldDepth += 1
            levels[oldDepth].old = Spot(levels[oldDepth - 1].old.node.child(key(to: oldDepth)))
        }
    }

    private mutating func lookUpNew(_ depth: Int) {
        while newDepth < depth {
            newDepth += 1
            levels[newDepth].new = Spot(levels[newDepth - 1].new.node.child(key(to: newDepth)))
        }
    }

    var isRecording: Bool { records.contains(.reads) }

    mutating func spend(_ count: Int) throws(EvaluationError) {
        steps -= count
        if steps < 0 { throw .tooMuchWork }
    }

    /// Whether a rule is true at the place to which the first `depth` keys lead.
    mutating func satisfies(_ rule: Rule, at depth: Int) -> Bool {
        let truth: Truth
        if let constant = rule.expression.constant {
            truth = constant ? .satisfied : .unsatisfied
            if !constant { failure = nil }
        } else {
            truth = evaluate(rule.expression, at: depth)
        }
        if records.contains(.counts), !isTracing { rule.count(truth) }
        if notes != nil { note(rule, truth, at: depth) }
        return truth == .satisfied
    }

    private mutating func evaluate(_ expression: Expression, at depth: Int) -> Truth {
        location = depth
        self.expression = Unmanaged.passUnretained(expression)
        keepsTails = expression.walksUp || isRecording
        if !tails.isEmpty { tails = [] }
        let granted = min(ruleSteps, requestSteps)
        steps = granted
        let truth = expression.operations.withUnsafeBufferPointer { operations in
            self.operations = operations
            return truthOfLastStep()
        }
        requestSteps -= granted - max(0, steps)
        return truth
    }

    private mutating func truthOfLastStep() -> Truth {
        do throws(EvaluationError) {
            if try condition(operations.count - 1) { return .satisfied }
            failure = nil
            return .unsatisfied
        } catch {
            failure = error.description
            return .failed
        }
    }

    private func note(_ rule: Rule, _ truth: Truth, at depth: Int) {
        guard let notes else { return }
        let outcome: Evaluation.Outcome =
            switch truth {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .failed: .failed(failure ?? "")
            }
        if records.contains(.evaluations) {
            notes.evaluations.append(Evaluation(rule: rule.reference.number, outcome: outcome))
        }
        if isTracing {
            let way = circumstances?.names ?? keys(to: depth).map(\.text)
            notes.trace?.end(rule, at: "/" + way.prefix(depth).joined(separator: "/"), outcome)
        }
    }

    /// Notes what stood in the way.
    ///
    /// - Parameter rule: the last one that was asked, which was not true; nil if there was none.
    /// - Returns: false.
    mutating func deny(_ path: Path, for rule: Rule?) -> Bool {
        answer = .denied(
            Denial(path: path, rule: rule?.reference, failure: rule == nil ? nil : failure))
        return false
    }
}

/// What a judge is asked.
enum Question {
    case read(Path)
    case write([Edit])
    case file(RuleReference.Kind, Circumstances)
}

/// What only some judgements are about.
final class Circumstances {
    /// Nil for a plain read, and for writes.
    let query: Query?
    let files: FileFacts
    /// The names on the way to a file, which need not be keys; nil for data.
    let names: [String]?

    init(query: Query? = nil, files: FileFacts = FileFacts(), names: [String]? = nil) {
        self.query = query
        self.files = files
        self.names = names
    }
}

/// What is kept of a judgement for later.
final class Notes {
    var reads = ReadSet()
    var evaluations: [Evaluation] = []
    var trace: Trace?

    init(trace: Trace? = nil) {
        self.trace = trace
    }
}
