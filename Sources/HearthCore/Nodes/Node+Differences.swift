// Comparing two states of a node, skipping what they share.

extension Node: Equatable {
    /// Equal in value and priority everywhere.
    ///
    /// - Complexity: O(1) for the same node, O(log n) for each page that is not shared up to the first
    ///   difference, else O(size).
    public static func == (left: Node, right: Node) -> Bool {
        if case .packed(let left) = left.storage, case .packed(let right) = right.storage {
            return left == right
        }
        guard left.isPacked == right.isPacked, let leftPage = left.page, let rightPage = right.page else {
            return left.leaf == right.leaf && left.priority == right.priority
                && left.childCount == right.childCount && left.isPacked == right.isPacked
        }
        if left.hasPriority || right.hasPriority, left.priority != right.priority { return false }
        if leftPage === rightPage { return true }
        guard leftPage.tally.count == rightPage.tally.count,
            leftPage.tally.prioritizedCount == rightPage.tally.prioritizedCount
        else { return false }
        var walk = DifferenceWalk(from: leftPage, to: rightPage)
        return walk.next() == nil
    }
}

extension Node {
    /// Equal objects are either both packed or both not.
    private var isPacked: Bool {
        if case .packed = storage { return true }
        return false
    }
}

/// A child that two states of a node do not have in common.
public struct ChildDifference: Sendable {
    /// The child's name.
    public let key: Key
    /// What it was, empty if it was not there.
    public let before: Node
    /// What it is, empty if it is gone.
    public let after: Node
}

extension Node {
    /// The children that differ between `old` and `new`, in key order.
    ///
    /// - Complexity: O(differences · log n) where the two share structure, else O(n).
    public static func childDifferences(from old: Node, to new: Node) -> [ChildDifference] {
        switch (old.page, new.page) {
        case (nil, nil): []
        case (_?, nil):
            old.children().map { ChildDifference(key: $0.key, before: $0.node, after: .empty) }
        case (nil, _?):
            new.children().map { ChildDifference(key: $0.key, before: .empty, after: $0.node) }
        case (let left?, let right?): Array(DifferenceWalk(from: left, to: right))
        }
    }
}
