// The children of one node lie in pages, a persistent B-tree.
import Synchronization

/// A page of a persistent B-tree: up to 32 children in key order, or up to 32 pages below.
///
///     height 1            ┌────────┬────────┬────────┐         slots: the lower bound of each page's keys
///                         │ lower₀ │ lower₁ │ lower₂ │         (the first one is not looked at) and the page
///                         └───┬────┴───┬────┴───┬────┘
///     height 0      ┌─────────┴┐ ┌─────┴────┐ ┌─┴───────────┐
///                   │ a b c d  │ │ f g h    │ │ k m         │  entries: key and node, at least 8
///                   └──────────┘ └──────────┘ └─────────────┘  but for the root and the right edge
///
/// Children that are all leaves or small objects, without priorities, stand in their page as one text
/// (`PackedChildren`) instead of entries.
///
/// A page that more than one owner refers to never changes: writers copy it first. One with a single
/// owner changes in place. Appending leaves full pages behind, since a page at the right edge is not
/// split in half.
///
// Sendable: it is only changed while uniquely referenced, which `makeUnique` sees to; its digest is atomic.
final class Page: @unchecked Sendable {
    static let entryLimit = 32
    static let slotLimit = 32
    /// The part of the limit that a page must have after a removal, away from the right edge.
    private static let floorDivisor = 4

    /// A page below and a bound of its keys.
    struct Slot {
        /// No key below is less; all keys of the slot before are.
        var lower: Key
        var page: Page
    }

    /// 0 for a page of entries.
    let height: Int
    // Unchecked: the only owner of the page is in the middle of one change at a time.
    @exclusivity(unchecked) var entries: ContiguousArray<ChildEntry>
    /// The children as text, instead of entries.
    @exclusivity(unchecked) var packed: PackedChildren?
    @exclusivity(unchecked) var slots: ContiguousArray<Slot>
    /// What is in the page and all pages below.
    @exclusivity(unchecked) var tally: Tally
    /// The sum of the children's digests, once somebody asked; the page owns it.
    let digestSum = Atomic<Unmanaged<DigestSum>?>(nil)
    /// What is known of the text, see `mayHaveArrays`: nothing, no, or yes.
    private let arrays = Atomic<UInt8>(0)

    init(entries: ContiguousArray<ChildEntry>) {
        height = 0
        self.entries = entries
        packed = nil
        slots = []
        tally = entries.reduce(into: Tally()) { $0 += Tally($1) }
    }

    init(packed: PackedChildren) {
        height = 0
        entries = []
        self.packed = packed
        slots = []
        tally = Tally(packed)
    }

    /// A page of entries, packed if they can be.
    static func leaf(_ entries: ContiguousArray<ChildEntry>) -> Page {
        PackedChildren(entries).map { Page(packed: $0) } ?? Page(entries: entries)
    }

    init(height: Int, slots: ContiguousArray<Slot>) {
        self.height = height
        entries = []
        packed = nil
        self.slots = slots
        tally = slots.reduce(into: Tally()) { $0 += $1.page.tally }
    }

    /// A page of which is known how much is in it.
    init(entries: ContiguousArray<ChildEntry>, tally: Tally) {
        height = 0
        self.entries = entries
        packed = nil
        slots = []
        self.tally = tally
    }

    /// A page of which is known how much is in it and below.
    init(height: Int, slots: ContiguousArray<Slot>, tally: Tally) {
        self.height = height
        entries = []
        packed = nil
        self.slots = slots
        self.tally = tally
    }

    init(copying page: Page) {
        height = page.height
        entries = page.entries
        packed = page.packed
        slots = page.slots
        tally = page.tally
    }

    deinit {
        forgetFindings()
    }

    /// Drops what is known of the content as it is. Only the only owner of a page may do so.
    func forgetFindings() {
        digestSum.exchange(nil, ordering: .acquiringAndReleasing)?.release()
        arrays.store(0, ordering: .relaxed)
    }

    /// Whether something in the text of a packed page may read as an array.
    ///
    /// - Complexity: O(size) at first, then O(1) until the page changes.
    var mayHaveArrays: Bool {
        let known = arrays.load(ordering: .relaxed)
        if known != 0 { return known == 2 }
        let found = packed?.bytes.withUnsafeBytes(PackedText.mayHaveArrays) ?? true
        // Whoever looks at the same time finds the same.
        arrays.store(found ? 2 : 1, ordering: .relaxed)
        return found
    }

    /// Entries or slots.
    var size: Int { height == 0 ? packed?.count ?? entries.count : slots.count }

    var limit: Int { height == 0 ? Page.entryLimit : Page.slotLimit }

    var floor: Int { limit / Page.floorDivisor }

    /// How much is in a page.
    struct Tally: Equatable {
        var count = 0
        var prioritizedCount = 0
        var weight = 0

        init() {}

        init(_ entry: ChildEntry) {
            count = 1
            prioritizedCount = entry.node.hasPriority ? 1 : 0
            weight = entry.node.weight + entry.key.byteCount + 4
        }

        init(_ packed: PackedChildren) {
            count = packed.count
            weight = packed.bytes.count
        }

        static func += (left: inout Tally, right: Tally) {
            left.count += right.count
            left.prioritizedCount += right.prioritizedCount
            left.weight += right.weight
        }

        static func -= (left: inout Tally, right: Tally) {
            left.count -= right.count
            left.prioritizedCount -= right.prioritizedCount
            left.weight -= right.weight
        }
    }
}

extension Page {
    /// The name of the child at a place of a page of entries.
    func key(at index: Int) -> Key {
        packed.map { $0.key(at: index) } ?? entries[index].key
    }

    /// The child at a place of a page of entries.
    func node(at index: Int) -> Node {
        packed.map { $0.node(at: index) } ?? entries[index].node
    }

    func entry(at index: Int) -> ChildEntry {
        packed?.entry(at: index) ?? entries[index]
    }

    func hasKey(_ key: Key, at index: Int) -> Bool {
        guard let packed else { return index < entries.count && entries[index].key == key }
        return index < packed.count && packed.hasKey(key, at: index)
    }

    /// The first entry whose key is not less than `key`.
    func lowerBound(_ key: Key, guesses: Bool = true) -> Int {
        if let packed { return lowerBound(key, in: packed, guesses: guesses) }
        return entries.withUnsafeBufferPointer { entries in
            let count = entries.count
            guard count > 0, key <= entries[count - 1].key else { return count }
            var low = Page.count(below: key.word0, 0, count, guesses: guesses) { entries[$0].key.word0 }
            guard entries[low].key < key else { return low }
            // Some keys have the same beginning.
            var high = count - 1
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].key < key { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private func lowerBound(_ key: Key, in packed: PackedChildren, guesses: Bool) -> Int {
        packed.marks.withUnsafeBufferPointer { marks in
            guard let last = marks.last, key.word0 <= last.word else { return marks.count }
            var low = Page.count(below: key.word0, 0, marks.count, guesses: guesses) { marks[$0].word }
            guard low < marks.count, marks[low].word == key.word0, packed.key(at: low) < key else {
                return low
            }
            // Some keys have the same beginning.
            low += 1
            var high = marks.count
            while low < high {
                let middle = (low + high) / 2
                if marks[middle].word == key.word0, packed.key(at: middle) < key {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
    }

    /// The slot below which `key` belongs.
    func slotIndex(_ key: Key, guesses: Bool = true) -> Int {
        slots.withUnsafeBufferPointer { slots in
            if slots[slots.count - 1].lower <= key { return slots.count - 1 }
            var low = Page.count(below: key.word0, 1, slots.count, guesses: guesses) {
                slots[$0].lower.word0
            }
            guard low < slots.count, slots[low].lower <= key else { return low - 1 }
            var high = slots.count
            while low < high {
                let middle = (low + high) / 2
                if slots[middle].lower <= key { low = middle + 1 } else { high = middle }
            }
            return low - 1
        }
    }

    /// The first of the places from `start` to `end` whose word is not less than `word`, or `end`.
    ///
    /// A single search guesses its way ahead of the memory, and is faster so; of several side by side each
    /// wrong guess would hold up all, and so they have no branch that depends on a word.
    @inline(__always)
    private static func count(
        below word: UInt64, _ start: Int, _ end: Int, guesses: Bool, _ wordAt: (Int) -> UInt64
    ) -> Int {
        var low = start
        var count = end - start
        while count > 1 {
            let half = count / 2
            let found = wordAt(low &+ half &- 1)
            if !guesses {
                low &+= half & -borrow(found, word)
            } else if found < word {
                low &+= half
            }
            count &-= half
        }
        return low &+ (count == 1 ? borrow(wordAt(low), word) : 0)
    }

    /// 1 if `left` is less than `right`, else 0: what subtraction borrows. The compiler makes a branch of a
    /// plain comparison.
    @inline(__always)
    private static func borrow(_ left: UInt64, _ right: UInt64) -> Int {
        Int(truncatingIfNeeded: ((~left & right) | ((~left | right) & (left &- right))) >> 63)
    }

    /// The least key in the page and all pages below.
    var firstKey: Key {
        var page = self
        while page.height > 0 { page = page.slots[0].page }
        return page.key(at: 0)
    }

    /// Whether the least key counts as an integer; if not, none does.
    var beginsWithInteger: Bool {
        firstWord >> 56 == 0
    }

    /// The first word of the least key.
    private var firstWord: UInt64 {
        var page = self
        while page.height > 0 { page = page.slots[0].page }
        return page.packed?.marks[0].word ?? page.entries[0].key.word0
    }

    /// The greatest key in the page and all pages below.
    var lastKey: Key {
        var page = self
        while page.height > 0 { page = page.slots[page.slots.count - 1].page }
        return page.key(at: page.size - 1)
    }

    /// The node of `key`, nil if there is none. O(log n).
    ///
    /// The pages on the way are not retained: others look them up at the same time, and counting would make
    /// each wait for the other. Their owner, this page, is.
    func node(_ key: Key) -> Node? {
        page(withEntryFor: key)._withUnsafeGuaranteedRef { page in
            // Asked once, as asking costs counting references.
            if let packed = page.packed { return page.node(key, in: packed) }
            return page.entryNode(key, at: page.lowerBound(key))
        }
    }

    private func node(_ key: Key, in packed: PackedChildren) -> Node? {
        let index = lowerBound(key, in: packed, guesses: true)
        return index < packed.count && packed.hasKey(key, at: index) ? packed.node(at: index) : nil
    }

    /// What stands at `keys` from the one at `depth` on, nil if there is nothing. O(depth · log n).
    func descendant(at keys: [Key], from depth: Int) -> Node? {
        var page = Unmanaged.passUnretained(self)
        var depth = depth
        while depth < keys.count - 1, let below = page._withUnsafeGuaranteedRef({ $0.pages(of: keys[depth]) })
        {
            page = below
            depth += 1
        }
        let node = page._withUnsafeGuaranteedRef { $0.node(keys[depth]) }
        return depth == keys.count - 1 ? node : node?.descendant(at: keys, from: depth + 1)
    }

    /// What stands at `keys`, empty if nothing does; nil unless every place above has pages.
    ///
    /// - Complexity: O(depth · log n).
    func childOfPages(at keys: [Key]) -> Node? {
        var page = Unmanaged.passUnretained(self)
        for depth in 0..<keys.count - 1 {
            guard let below = page._withUnsafeGuaranteedRef({ $0.pages(of: keys[depth]) }) else { return nil }
            page = below
        }
        return page._withUnsafeGuaranteedRef { $0.node(keys[keys.count - 1]) } ?? .empty
    }

    /// The pages of the child of that name, nil if it has none.
    private func pages(of key: Key) -> Unmanaged<Page>? {
        page(withEntryFor: key)._withUnsafeGuaranteedRef { page in
            let index = page.lowerBound(key)
            return page.entries.withUnsafeBufferPointer { entries in
                guard index < entries.count, entries[index].key == key else { return nil }
                switch entries[index].node.storage {
                case .children(let page): return Unmanaged.passUnretained(page)
                case .rankedChildren(let ranked): return Unmanaged.passUnretained(ranked.page)
                case .empty, .leaf, .ranked, .packed: return nil
                }
            }
        }
    }

    /// Whether there is a child of that name. O(log n).
    func contains(_ key: Key) -> Bool {
        page(withEntryFor: key)._withUnsafeGuaranteedRef { page in
            guard let packed = page.packed else { return page.hasKey(key, at: page.lowerBound(key)) }
            let index = page.lowerBound(key, in: packed, guesses: true)
            return index < packed.count && packed.hasKey(key, at: index)
        }
    }

    /// The page of entries in which `key` belongs, this one or one below.
    private func page(withEntryFor key: Key) -> Unmanaged<Page> {
        var page = Unmanaged.passUnretained(self)
        for _ in 0..<height { page = page._withUnsafeGuaranteedRef { $0.page(for: key) } }
        return page
    }

    /// The page below in which `key` belongs.
    func page(for key: Key, guesses: Bool = true) -> Unmanaged<Page> {
        let index = slotIndex(key, guesses: guesses)
        return slots.withUnsafeBufferPointer { Unmanaged.passUnretained($0[index].page) }
    }

    /// The node of an entry, nil if it has not that key.
    func entryNode(_ key: Key, at index: Int) -> Node? {
        if let packed {
            return index < packed.count && packed.hasKey(key, at: index) ? packed.node(at: index) : nil
        }
        return entries.withUnsafeBufferPointer { entries in
            index < entries.count && entries[index].key == key ? entries[index].node : nil
        }
    }
}
