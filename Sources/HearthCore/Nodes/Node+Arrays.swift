// When children read as an array (rest-api.md §3).

extension Node {
    /// The length of the array as which these children read, holes included; nil if they read as an object.
    ///
    /// They do if every key is a canonical array index and the highest one is below twice their number.
    ///
    /// - Complexity: O(log n) for all but arrays and near-arrays, for which it is O(n).
    public var arrayLength: Int? {
        if case .packed(let record) = storage, !record.mayBeArray { return nil }
        guard let page, page.firstKey.arrayIndex != nil, let highest = page.lastKey.arrayIndex,
            highest < 2 * childCount, children().allSatisfy({ $0.key.arrayIndex != nil })
        else { return nil }
        return highest + 1
    }
}
