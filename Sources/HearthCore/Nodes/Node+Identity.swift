// Whether two nodes are one and the same, without looking into them.

extension Node {
    /// Whether this is the very same node as another one: equal, and no work to find it out. Two nodes of
    /// equal content that came about apart are not identical.
    ///
    /// - Complexity: O(1), O(length) for two texts and for two objects of up to a kilobyte.
    public func isIdentical(to other: Node) -> Bool {
        switch (storage, other.storage) {
        case (.children(let page), .children(let otherPage)): page === otherPage
        case (.rankedChildren(let ranked), .rankedChildren(let other)):
            ranked.page === other.page && ranked.priority == other.priority
        case (.packed(let record), .packed(let other)): record == other
        case (.empty, .empty): true
        case (.leaf, .leaf), (.ranked, .ranked): leaf == other.leaf && priority == other.priority
        default: false
        }
    }
}
