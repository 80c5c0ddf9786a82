// Where in the journal the history of a namespace lies, so that the segments it needs are kept.
import HearthCore
import HearthStorage

/// Some revisions of a namespace with the journal positions of their records.
///
/// History from a floor on can be read back from the journal as long as everything after the record of
/// that floor is there. Only every so many commits is one noted, so what is kept may be a little more than
/// needed.
struct HistoryMarks: Sendable {
    private static let distance: Revision = 256

    private var marks: [(revision: Revision, position: Position)]

    /// Begins with what is known at the start: everything after `position` is there, and it suffices from
    /// `floor`.
    init(floor: Revision, position: Position) {
        marks = [(floor, position)]
    }

    /// Notes a commit's place.
    mutating func note(_ revision: Revision, at position: Position) {
        guard let last = marks.last, revision - last.revision >= HistoryMarks.distance else { return }
        marks.append((revision, position))
    }

    /// The position after which everything is needed for history from `floor` on; older marks are forgotten.
    mutating func needed(from floor: Revision) -> Position {
        let older = marks.dropFirst().prefix { $0.revision <= floor }.count
        marks.removeFirst(older)
        return marks[0].position
    }
}
