// Whether two nodes are one and the same, without looking into them.

extension Node {
    /// Whether this is the very same node as another one: equal, and no work to find it out. Two nodes of
    /// equal content that came about apart are not identical.
    ///
    /// - Complexity: O(1), O(length) for two texts.
    public func isIdentical(to other: Node) -> Bool {
        if let page, let otherPage = other.page {
            return page === otherPage && priority == other.priority
        }
        return leaf == other.leaf && priority == other.priority && childCount == other.childCount
    }
}
