// Walking a sorted set in either direction, from any place.

extension SortedPages {
    /// A walk over the elements; it keeps the pages that are still to come, and the one of the element that
    /// was returned last.
    struct Cursor: Sequence, IteratorProtocol, Sendable {
        /// The inner pages above the present one, and the child by which each was left.
        private var stack: [(page: Page, index: Int)] = []
        /// The page of the next element, nil at the end.
        private var leaf: Page?
        /// The next element in the page; one beyond it if that is on another page.
        private var index = 0
        private let step: Int

        /// Begins at the first element for which `belongsBefore` is false, or, going down, at the last
        /// one for which it is true.
        init(_ pages: SortedPages, ascending: Bool, from belongsBefore: (Element) -> Bool) {
            step = ascending ? 1 : -1
            guard var page = pages.root else { return }
            while !page.children.isEmpty {
                let index = Swift.max(0, page.elements.partitionPoint(belongsBefore) - 1)
                stack.append((page, index))
                page = page.children[index]
            }
            let index = page.elements.partitionPoint(belongsBefore)
            leaf = page
            self.index = ascending ? index : index - 1
        }

        /// The next element, nil at the end. Amortised O(1).
        mutating func next() -> Element? {
            while let leaf {
                if index >= 0, index < leaf.elements.count {
                    defer { index += step }
                    return leaf.elements[index]
                }
                turnPage()
            }
            return nil
        }

        private mutating func turnPage() {
            leaf = nil
            while let top = stack.indices.last {
                stack[top].index += step
                let index = stack[top].index
                if index >= 0, index < stack[top].page.children.count {
                    return descend(from: stack[top].page.children[index])
                }
                stack.removeLast()
            }
        }

        /// Goes down to the first element in walking direction.
        private mutating func descend(from page: Page) {
            var page = page
            while !page.children.isEmpty {
                let index = step > 0 ? 0 : page.children.count - 1
                stack.append((page, index))
                page = page.children[index]
            }
            leaf = page
            index = step > 0 ? 0 : page.elements.count - 1
        }
    }

    /// Upwards from the first element for which `belongsBefore` is false.
    func ascending(from belongsBefore: (Element) -> Bool = { _ in false }) -> Cursor {
        Cursor(self, ascending: true, from: belongsBefore)
    }

    /// Downwards from the last element for which `belongsBefore` is true.
    func descending(from belongsBefore: (Element) -> Bool = { _ in true }) -> Cursor {
        Cursor(self, ascending: false, from: belongsBefore)
    }
}
