// Two trees walked side by side, without entering the pages that they share.

/// A walk over the entries of a tree that can stand before a whole page and step over it.
private struct PageWalk {
    enum Head {
        case page(Page)
        case entry(ChildEntry)
        case end
    }

    private struct Frame {
        let page: Page
        var index: Int
    }

    /// The root, before it is entered.
    private var root: Page?
    private var frames: [Frame] = []

    init(_ root: Page) {
        self.root = root
    }

    /// What comes next.
    var head: Head {
        if let root { return .page(root) }
        guard let frame = frames.last else { return .end }
        return frame.page.height == 0
            ? .entry(frame.page.entry(at: frame.index)) : .page(frame.page.slots[frame.index].page)
    }

    /// Goes into the page that comes next.
    mutating func enter(_ page: Page) {
        root = nil
        frames.append(Frame(page: page, index: 0))
    }

    /// Steps over the entry or page that comes next.
    mutating func advance() {
        root = nil
        while let top = frames.indices.last {
            frames[top].index += 1
            if frames[top].index < frames[top].page.size { return }
            frames.removeLast()
        }
    }

    /// The page of that height whose first entry comes next.
    func pageAhead(height: Int) -> Page? {
        if case .page(let page) = head, page.height == height { return page }
        for frame in frames.reversed() {
            guard frame.index == 0 else { return nil }
            if frame.page.height == height { return frame.page }
        }
        return nil
    }

    /// Steps over a page that `pageAhead` returned.
    mutating func skip(_ page: Page) {
        if let entered = frames.lastIndex(where: { $0.page === page }) {
            frames.removeSubrange(entered...)
        }
        advance()
    }
}

/// The differences between two trees, one after the other.
struct DifferenceWalk: Sequence, IteratorProtocol {
    private var old: PageWalk
    private var new: PageWalk
    private let height: Int

    init(from old: Page, to new: Page) {
        self.old = PageWalk(old)
        self.new = PageWalk(new)
        height = Swift.min(old.height, new.height)
    }

    /// The next difference in key order.
    ///
    /// - Complexity: O(log n) amortised where the trees share pages.
    mutating func next() -> ChildDifference? {
        while true {
            switch (old.head, new.head) {
            case (.end, .end): return nil
            case (.page(let left), .page(let right)):
                if skipShared() { continue }
                if left.height >= right.height { old.enter(left) }
                if right.height >= left.height { new.enter(right) }
            case (.page(let left), _):
                if !skipShared() { old.enter(left) }
            case (_, .page(let right)):
                if !skipShared() { new.enter(right) }
            case (.entry(let left), .end): return removed(left)
            case (.end, .entry(let right)): return added(right)
            case (.entry(let left), .entry(let right)):
                if left.key < right.key { return removed(left) }
                if right.key < left.key { return added(right) }
                old.advance()
                new.advance()
                if left.node != right.node {
                    return ChildDifference(key: left.key, before: left.node, after: right.node)
                }
            }
        }
    }

    private mutating func removed(_ entry: ChildEntry) -> ChildDifference {
        old.advance()
        return ChildDifference(key: entry.key, before: entry.node, after: .empty)
    }

    private mutating func added(_ entry: ChildEntry) -> ChildDifference {
        new.advance()
        return ChildDifference(key: entry.key, before: .empty, after: entry.node)
    }

    /// Steps over the largest page that both trees have next, if there is one.
    private mutating func skipShared() -> Bool {
        for height in (0...height).reversed() {
            guard let left = old.pageAhead(height: height), let right = new.pageAhead(height: height),
                left === right
            else { continue }
            old.skip(left)
            new.skip(right)
            return true
        }
        return false
    }
}
