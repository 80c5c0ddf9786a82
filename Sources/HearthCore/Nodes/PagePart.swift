// What a walk over children sees of one page, so that it need not take them one by one.

/// Children of one page that stand side by side.
struct PagePart {
    let page: Page
    /// Their places in the page.
    let range: Range<Int>

    /// The name of the first child; nil if there is none.
    var firstKey: Key? { range.first.map { page.key(at: $0) } }

    /// About how many bytes of JSON they are, without punctuation around them. O(1) for text.
    var weight: Int {
        guard page.packed == nil else { return textRange.count }
        if range.count == page.size { return page.tally.weight }
        return page.entries[range].reduce(0) { $0 + Page.Tally($1).weight }
    }

    /// Calls `body` with the canonical text of these members, with commas between them; nil if they are none
    /// or not kept as text.
    @inline(__always)
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard let packed = page.packed, !range.isEmpty else { return nil }
        let place = textRange
        return packed.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[place])) }
    }

    private var textRange: Range<Int> {
        guard let packed = page.packed, !range.isEmpty else { return 0..<0 }
        return packed.start(at: range.lowerBound)..<Int(packed.marks[range.upperBound &- 1].end)
    }

    /// Appends the children.
    func append(to entries: inout [ChildEntry]) {
        guard let packed = page.packed else {
            return entries.append(contentsOf: page.entries[range])
        }
        for index in range { entries.append(packed.entry(at: index)) }
    }

    /// Appends the names of the children.
    func append(to keys: inout [Key]) {
        guard let packed = page.packed else {
            return keys.append(contentsOf: page.entries[range].lazy.map(\.key))
        }
        for index in range { keys.append(packed.key(at: index)) }
    }
}
