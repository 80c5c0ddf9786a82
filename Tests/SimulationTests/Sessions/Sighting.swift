// What a listener has seen, held against what there was to be seen.
import HearthStorage

/// At which revisions a listener may be, by the values that it was told of: one value may have stood there
/// several times.
struct Sighting {
    private let who: String
    /// Nil before its listen was ever answered.
    private var revisions: [Int64]?

    init(_ who: String) {
        self.who = who
    }

    /// Its listen was answered: it holds a value that stood there when, or after, it was there last.
    ///
    /// - Parameter values: what there was to be seen at each revision, 0 first.
    mutating func begin(
        _ value: Value, _ values: [Value], _ chronicle: inout Chronicle, _ durable: Position
    ) throws(Violation) {
        let first = revisions?.first ?? 0
        let found = (first...chronicle.revision).filter { values[Int($0)] == value }
        try take(found, value, &chronicle, durable)
    }

    /// It was told of a change: of the next one that there was, and of nothing else.
    mutating func move(
        to value: Value, _ values: [Value], _ chronicle: inout Chronicle, _ durable: Position
    ) throws(Violation) {
        guard let revisions else { return }
        let found = revisions.compactMap { Sighting.nextChange(after: $0, values) }.filter {
            values[Int($0)] == value
        }
        try take(found, value, &chronicle, durable)
    }

    /// A write was replied to: what that changed here was told before.
    mutating func noteReply(_ revision: Int64, _ values: [Value]) throws(Violation) {
        guard let known = revisions else { return }
        let left = known.filter { at in Sighting.nextChange(after: at, values).map { $0 > revision } ?? true }
        guard !left.isEmpty else { throw Violation("\(who) is not told of \(revision) before its reply") }
        revisions = left
    }

    private mutating func take(
        _ found: [Int64], _ value: Value, _ chronicle: inout Chronicle, _ durable: Position
    ) throws(Violation) {
        guard let least = found.min() else {
            throw Violation(
                "\(who) is told to be \(value.summary), after revisions \(revisions ?? []);"
                    + " the newest one is \(chronicle.revision)")
        }
        try chronicle.check(least, durable)
        revisions = found
    }

    private static func nextChange(after revision: Int64, _ values: [Value]) -> Int64? {
        let value = values[Int(revision)]
        return values.indices.dropFirst(Int(revision) + 1).first { values[$0] != value }.map { Int64($0) }
    }
}
