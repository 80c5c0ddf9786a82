// Comparing two states of a node, skipping what they share.

extension Node: Equatable {
    /// Equal in value and priority everywhere.
    ///
    /// - Complexity: O(1) where the two share structure, else O(size).
    public static func == (left: Node, right: Node) -> Bool {
        switch (left.storage, right.storage) {
        case (.children(let leftTree), .children(let rightTree)):
            if leftTree === rightTree { return true }
            guard leftTree.count == rightTree.count, leftTree.priority == rightTree.priority else {
                return false
            }
            return zip(leftTree.entries, rightTree.entries).allSatisfy {
                $0.key == $1.key && $0.node == $1.node
            }
        default:
            return left.leaf == right.leaf && left.priority == right.priority
                && left.childCount == right.childCount
        }
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
        var differences: [ChildDifference] = []
        var oldCursor = old.children()
        var newCursor = new.children()
        var before = oldCursor.next()
        var after = newCursor.next()
        while before != nil || after != nil {
            if let left = before, after.map({ left.key < $0.key }) ?? true {
                differences.append(ChildDifference(key: left.key, before: left.node, after: .empty))
                before = oldCursor.next()
            } else if let right = after, before.map({ right.key < $0.key }) ?? true {
                differences.append(ChildDifference(key: right.key, before: .empty, after: right.node))
                after = newCursor.next()
            } else if let left = before, let right = after {
                if left.node != right.node {
                    differences.append(ChildDifference(key: left.key, before: left.node, after: right.node))
                }
                before = oldCursor.next()
                after = newCursor.next()
            }
        }
        return differences
    }
}
