// Comparing two states of a node, skipping what they share.

extension Node: Equatable {
    /// Equal in value and priority everywhere.
    ///
    /// - Complexity: O(1) for the same node, O(log n) for each page that is not shared up to the first
    ///   difference, else O(size).
    public static func == (left: Node, right: Node) -> Bool {
        guard let leftPage = left.page, let rightPage = right.page else {
            return left.leaf == right.leaf && left.priority == right.priority
                && left.childCount == right.childCount
        }
        if left.hasPriority || right.hasPriority, left.priority != right.priority { return false }
        if leftPage === rightPage { return true }
        guard leftPage.tally == rightPage.tally else { return false }
        var walk = DifferenceWalk(from: leftPage, to: rightPage)
        return walk.next() == nil
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
        case (let left?, nil):
            Node(page: left).children().map {
                ChildDifference(key: $0.key, before: $0.node, after: .empty)
            }
        case (nil, let right?):
            Node(page: right).children().map {
                ChildDifference(key: $0.key, before: .empty, after: $0.node)
            }
        case (let left?, let right?): Array(DifferenceWalk(from: left, to: right))
        }
    }
}
