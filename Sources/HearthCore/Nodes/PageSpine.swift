// The right edge of a tree of pages that grows page by page: with the last page the tree is there.

/// Pages of entries in ascending order, and the full pages above them.
///
///     level 2        ┌────┐
///     level 1   ┌────┴┐┌──┴──┐ ┌────┐                 a level's slots become a page above when it has 32 of
///     level 0   │pages││pages│ │page│ page  page      them and another one comes
struct PageSpine: Sendable {
    /// The slots that are under no page yet, by height.
    private var levels: [ContiguousArray<Page.Slot>] = []

    /// The greatest page of entries.
    var last: Page? { levels.first?.last?.page }

    /// Appends a page of entries, whose keys come after all others.
    mutating func append(_ page: Page) {
        append(Page.Slot(lower: page.key(at: 0), page: page), at: 0)
    }

    private mutating func append(_ slot: Page.Slot, at height: Int) {
        if height == levels.count {
            levels.append([])
        } else if levels[height].count == Page.slotLimit {
            close(height)
        }
        levels[height].append(slot)
    }

    /// Puts the slots of a level under a page.
    private mutating func close(_ height: Int) {
        var slots: ContiguousArray<Page.Slot> = []
        swap(&slots, &levels[height])
        levels[height].reserveCapacity(Page.slotLimit)
        let page = Page(height: height + 1, slots: slots)
        append(Page.Slot(lower: slots[0].lower, page: page), at: height + 1)
    }

    /// The page above all of them, and above `tail`, which comes after them; nil if there is none.
    func root(with tail: Page?) -> Page? {
        var all = self
        if let tail { all.append(tail) }
        var height = 0
        while height < all.levels.count {
            if height == all.levels.count - 1, all.levels[height].count == 1 {
                return all.levels[height][0].page
            }
            all.close(height)
            height += 1
        }
        return nil
    }
}
