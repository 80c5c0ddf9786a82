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
    @exclusivity(unchecked) var slots: ContiguousArray<Slot>
    /// What is in the page and all pages below.
    @exclusivity(unchecked) var tally: Tally
    /// The sum of the children's digests, once somebody asked; the page owns it.
    let digestSum = Atomic<Unmanaged<DigestSum>?>(nil)

    init(entries: ContiguousArray<ChildEntry>) {
        height = 0
        self.entries = entries
        slots = []
        tally = entries.reduce(into: Tally()) { $0 += Tally($1) }
    }

    init(height: Int, slots: ContiguousArray<Slot>) {
        self.height = height
        entries = []
        self.slots = slots
        tally = slots.reduce(into: Tally()) { $0 += $1.page.tally }
    }

    init(copying page: Page) {
        height = page.height
        entries = page.entries
        slots = page.slots
        tally = page.tally
    }

    deinit {
        forgetDigest()
    }

    /// Drops the digest. Only the only owner of a page may do so.
    func forgetDigest() {
        digestSum.exchange(nil, ordering: .acquiringAndReleasing)?.release()
    }

    /// Entries or slots.
    var size: Int { height == 0 ? entries.count : slots.count }

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
    /// The first entry whose key is not less than `key`.
    func lowerBound(_ key: Key) -> Int {
        guard let last = entries.last, key <= last.key else { return entries.count }
        var low = 0
        var high = entries.count - 1
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The slot below which `key` belongs.
    func slotIndex(_ key: Key) -> Int {
        var low = 1
        var high = slots.count
        if slots[high - 1].lower <= key { return high - 1 }
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].lower <= key { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// The least key in the page and all pages below.
    var firstKey: Key {
        var page = self
        while page.height > 0 { page = page.slots[0].page }
        return page.entries[0].key
    }

    /// The greatest key in the page and all pages below.
    var lastKey: Key {
        var page = self
        while page.height > 0 { page = page.slots[page.slots.count - 1].page }
        return page.entries[page.entries.count - 1].key
    }

    /// The node of `key`, nil if there is none. O(log n).
    func node(_ key: Key) -> Node? {
        var page = self
        while page.height > 0 { page = page.slots[page.slotIndex(key)].page }
        let index = page.lowerBound(key)
        guard index < page.entries.count, page.entries[index].key == key else { return nil }
        return page.entries[index].node
    }
}
