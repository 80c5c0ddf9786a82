// How deep a value is, for the limit on levels.

extension Node {
    /// Whether a leaf stands more than `levels` steps below here.
    ///
    /// - Complexity: O(size), but it never goes deeper than `levels`.
    public func isDeeper(than levels: Int) -> Bool {
        guard hasChildren else { return false }
        if case .packed(let record) = storage { return record.withText(PackedText.levels) > levels }
        guard levels > 0 else { return true }
        return children().contains { $0.node.isDeeper(than: levels - 1) }
    }
}
