// Walking a sorted set in either direction, from any place.

extension SortedPages {
    /// A walk over the elements; it keeps the set that it began on.
    struct Cursor: Sequence, IteratorProtocol, Sendable {
        private var stack: [(page: Page, index: Int)] = []
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
            stack.append((page, ascending ? index : index - 1))
        }

        /// The next element, nil at the end. Amortised O(1).
        mutating func next() -> Element? {
            while let (page, index) = stack.last {
                let top = stack.count - 1
                guard page.elements.indices.contains(index) else {
                    stack.removeLast()
                    if top > 0 { stack[top - 1].index += step }
                    continue
                }
                guard page.children.isEmpty else {
                    let child = page.children[index]
                    stack.append((child, step > 0 ? 0 : child.elements.count - 1))
                    continue
                }
                stack[top].index += step
                return page.elements[index]
            }
            return nil
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
