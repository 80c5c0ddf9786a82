// One judgement: the place it has come to, and what it has spent and seen.
import HearthCore

/// Walks down the rules and the data together and evaluates rules where they stand.
///
/// Every write is judged, so this must cost next to nothing: it is made on the stack for one question, looks
/// each node up once and then where it keeps it, looks at what was written where it lies, and counts no
/// reference to a rule or an expression, which whoever asks keeps until he has his answer. What only some
/// judgements need stands apart, in `circumstances` and `notes`.
struct Judge {
    /// Who asks, and what the database holds before and after; whoever asks keeps both.
    let context: UnsafePointer<JudgingContext>
    let after: UnsafePointer<Node>
    /// What is asked beyond a place of the data.
    let circumstances: Circumstances?
    /// Whether the present rule may see the query.
    var seesQuery = false

    /// As many as the rules are high; what stands below their lowest is nobody's business.
    let levels: UnsafeMutablePointer<Level>
    let levelCount: Int
    /// The place that is asked for, and its depth; -1 if there is no level for it.
    var path = Path.root
    var endDepth = -1
    /// To which depth on the way there the rules are known.
    var ruleDepth = 0
    /// Room for the members of one new object, how many it has, and the depth at which it stands; -1 if there
    /// is none.
    let members: UnsafeMutableBufferPointer<PackedObject.Member>
    var memberCount = 0
    var memberDepth = -1
    /// Whether somebody walks over them.
    var usesMembers = false
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
        _ context: UnsafePointer<JudgingContext>, _ after: UnsafePointer<Node>,
        _ circumstances: Circumstances?, _ notes: Notes?,
        levels: UnsafeMutableBufferPointer<Level>, members: UnsafeMutableBufferPointer<PackedObject.Member>
    ) {
        guard let first = levels.baseAddress else { preconditionFailure("the root is a level") }
        self.context = context
        self.after = after
        self.circumstances = circumstances
        self.levels = first
        levelCount = levels.count
        self.members = members
        requestSteps = context.pointee.limits.stepsPerRequest
        ruleSteps = context.pointee.limits.stepsPerRule
        records = context.pointee.records
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
        withUnsafeTemporaryAllocation(of: PackedObject.Member.self, capacity: memberLimit) { members in
            withUnsafeTemporaryAllocation(of: Level.self, capacity: root.height + 1) { levels in
                for depth in levels.indices { levels.initializeElement(at: depth, to: Level()) }
                defer { Level.release(levels) }
                return lend(context, after) { context, after in
                    var judge = Judge(
                        context, after, circumstances, notes, levels: levels, members: members)
                    return judge.judge(question, by: root)
                }
            }
        }
    }

    @inline(__always)
    private static func lend(
        _ context: JudgingContext, _ after: Node,
        to body: (UnsafePointer<JudgingContext>, UnsafePointer<Node>) -> Answer
    ) -> Answer {
        withUnsafePointer(to: context) { context in withUnsafePointer(to: after) { body(context, $0) } }
    }

    /// The members of larger objects are looked up one by one.
    private static let memberLimit = 16

    private mutating func judge(_ question: Question, by root: RuleNode) -> Answer {
        let isAllowed =
            switch question {
            case .read(let path): read(path, by: root)
            case .write(let edits): write(edits, by: root)
            case .file(let kind, let circumstances): file(kind, circumstances, by: root)
            }
        precondition(isAllowed == answer.isAllowed, "what is refused is denied")
        return answer
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
