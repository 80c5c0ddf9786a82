// What a listen has told of a place. Its pushes carry values and no revisions: those that a value can be of
// are kept in mind.

/// How far a listen has come, as far as its client can know.
struct Heard {
    let who: String
    let path: [String]
    /// Which of the children are listened to; nil for everything.
    let window: Window?
    let isAdministrator: Bool
    /// Revisions that the value may be of that was heard last. Until the value changes they are as good as
    /// those that follow.
    private var candidates: [Int64] = []
    /// What there was to be heard at each revision that was looked at, 0 first, and how often a crash had
    /// taken any by then.
    private var values: [Value] = []
    private var lossCount = 0
    /// What stood at the place at the last of them.
    private var whole = Value.null

    init(who: String, path: [String], window: Window?, isAdministrator: Bool) {
        self.who = who
        self.path = path
        self.window = window
        self.isAdministrator = isAdministrator
    }

    /// Finds out what there was to be heard at all revisions.
    private mutating func look(_ chronicle: Chronicle) {
        if chronicle.lossCount != lossCount {
            lossCount = chronicle.lossCount
            values = []
        }
        for tree in chronicle.trees.dropFirst(values.count) {
            let next = tree[path]
            if let last = values.last, next == whole {
                values.append(last)
            } else {
                values.append(window?.content(of: next) ?? next)
            }
            whole = next
        }
    }

    private func value(at revision: Int64) -> Value { values[Int(revision)] }

    private func mayRead(at revision: Int64, _ chronicle: Chronicle) -> Bool {
        isAdministrator || chronicle.allowsReading(path, at: revision)
    }

    /// The whole value was heard, or that a known one is still the present one.
    ///
    /// - Parameter known: the revision that somebody knew of when the listen was asked for.
    mutating func begin(
        with value: Value, since known: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        look(chronicle)
        let newest = chronicle.newest(durable)
        guard known <= newest else { throw Violation("\(who): \(known) was known and is not synced") }
        let fitting = (known...newest).filter { self.value(at: $0) == value }
        candidates = fitting.filter { mayRead(at: $0, chronicle) }
        guard let first = candidates.first else {
            throw Violation(
                fitting.isEmpty
                    ? "\(who): hears \(value.summary), which \(address(path)) was not since \(known)"
                    : "\(who): hears of \(address(path)) when nobody might read it")
        }
        chronicle.noteTold(first)
    }

    /// A change was heard, after which the value is this: it must be what the next change has led to.
    mutating func take(
        _ value: Value, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        look(chronicle)
        let newest = chronicle.newest(durable)
        let next = Set(candidates.compactMap { change(after: $0, upTo: newest) }).sorted()
        let fitting = next.filter { self.value(at: $0) == value }
        candidates = fitting.filter { mayRead(at: $0, chronicle) }
        guard let first = candidates.first else {
            let expected = next.map { "\($0): \(self.value(at: $0).summary)" }
            throw Violation(
                fitting.isEmpty
                    ? "\(who): hears \(value.summary) at \(address(path)), not one of \(expected)"
                    : "\(who): hears of \(address(path)) when nobody might read it")
        }
        chronicle.noteTold(first)
    }

    /// A write of the same client was replied to: what that changed here was heard before.
    mutating func noteReply(to revision: Int64, _ chronicle: Chronicle) throws(Violation) {
        look(chronicle)
        let left = candidates.filter { change(after: $0, upTo: revision) == nil }
        guard !left.isEmpty else {
            throw Violation("\(who): has not heard of \(revision) at \(address(path)) before its reply")
        }
        candidates = left
    }

    /// The next revision with another value.
    private func change(after revision: Int64, upTo newest: Int64) -> Int64? {
        guard revision < newest else { return nil }
        let value = value(at: revision)
        return (revision + 1...newest).first { self.value(at: $0) != value }
    }

    /// Whether a value is the present one, and everything up to it was heard, or may have been.
    mutating func isUpToDate(_ value: Value, _ chronicle: Chronicle) -> Bool {
        look(chronicle)
        return self.value(at: chronicle.revision) == value
            && candidates.contains { change(after: $0, upTo: chronicle.revision) == nil }
    }

    /// A revision that the listen has certainly come to.
    var revision: Int64 { candidates.first ?? 0 }
}
