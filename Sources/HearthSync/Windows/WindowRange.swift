// A window seen as a range, so that what crosses its edges is found without comparing all of it.

import HearthCore

/// A window as a range of places: all that its query's bounds let through, up to an edge if it is full.
struct WindowRange {
    private enum Edge {
        /// It is not full: whatever the bounds let through is in it.
        case none
        case last(Query.Position)
        case first(Query.Position)
        /// Nothing is ever in it.
        case closed
    }

    private let positions: [Query.Position]
    private let edge: Edge

    init(_ positions: [Query.Position], limit: Query.Limit) {
        self.positions = positions
        switch limit {
        case .first(let count) where positions.count == max(0, count):
            edge = positions.last.map { .last($0) } ?? .closed
        case .last(let count) where positions.count == max(0, count):
            edge = positions.first.map { .first($0) } ?? .closed
        case .first, .last:
            edge = .none
        }
    }

    /// Whether a place that the bounds let through is in the window.
    func contains(_ position: Query.Position) -> Bool {
        switch edge {
        case .none: true
        case .last(let last): position <= last
        case .first(let first): position >= first
        case .closed: false
        }
    }

    /// The places that are not in another window of the same query: they lie beyond its edge.
    ///
    /// - Complexity: O(log n + result).
    func positions(outside other: WindowRange) -> ArraySlice<Query.Position> {
        switch other.edge {
        case .none: []
        case .last(let last): positions[positions.partitionPoint { $0 <= last }...]
        case .first(let first): positions[..<positions.partitionPoint { $0 < first }]
        case .closed: positions[...]
        }
    }
}
