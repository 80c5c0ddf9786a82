// What a listen has told of a place. Its pushes carry values and no revisions: those that a value can be of
// are kept in mind.

/// How far a listen has come, as far as its client can know.
struct Heard {
    let who: String
    let path: [String]
    /// How many of the last children are listened to; nil for everything.
    let limit: Int?
    let isAdministrator: Bool
    /// Revisions that the value may be of that was heard last. Until the value changes they are as good as
    /// those that follow.
    private var candidates: [Int64] = []

    init(who: String, path: [String], limit: Int?, isAdministrator: Bool) {
        self.who = who
        self.path = path
        self.limit = limit
        self.isAdministrator = isAdministrator
    }

    /// What there is to hear at a revision.
    private func value(at revision: Int64, _ chronicle: Chronicle) -> Value {
        let value = chronicle.tree(at: revision)[path]
        guard let limit else { return value }
        let kept = value.children.sorted { $0.key < $1.key }.suffix(limit)
        return kept.isEmpty
            ? .null : .object(Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) }))
    }

    private func mayRead(at revision: Int64, _ chronicle: Chronicle) -> Bool {
        isAdministrator || chronicle.allowsReading(path, at: revision)
    }

    /// The whole value was heard, or that a known one is still the present one.
    ///
    /// - Parameter known: the revision that somebody knew of when the listen was asked for.
    mutating func begin(
        with value: Value, since known: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        let newest = chronicle.newest(durable)
        guard known <= newest else { throw Violation("\(who): \(known) was known and is not synced") }
        let fitting = (known...newest).filter { self.value(at: $0, chronicle) == value }
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
        let newest = chronicle.newest(durable)
        let next = Set(candidates.compactMap { change(after: $0, upTo: newest, chronicle) })
        let fitting = next.filter { self.value(at: $0, chronicle) == value }
        candidates = fitting.filter { mayRead(at: $0, chronicle) }.sorted()
        guard let first = candidates.first else {
            let expected = next.sorted().map { "\($0): \(self.value(at: $0, chronicle).summary)" }
            throw Violation(
                fitting.isEmpty
                    ? "\(who): hears \(value.summary) at \(address(path)), not one of \(expected)"
                    : "\(who): hears of \(address(path)) when nobody might read it")
        }
        chronicle.noteTold(first)
    }

    /// The next revision with another value.
    private func change(after revision: Int64, upTo newest: Int64, _ chronicle: Chronicle) -> Int64? {
        guard revision < newest else { return nil }
        let value = value(at: revision, chronicle)
        return (revision + 1...newest).first { self.value(at: $0, chronicle) != value }
    }

    /// Whether everything up to a revision was heard, or may have been.
    func hasHeard(of revision: Int64, _ chronicle: Chronicle) -> Bool {
        candidates.contains { change(after: $0, upTo: revision, chronicle) == nil }
    }

    /// A revision that the listen has certainly come to.
    var revision: Int64 { candidates.first ?? 0 }
}
