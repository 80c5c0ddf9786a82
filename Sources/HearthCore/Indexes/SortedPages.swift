// A sorted set that can be kept for free: each change makes a new one that shares all but one path of
// pages.

/// A sorted set of elements in an immutable B-tree.
///
///     inner page   ┌ lowest of A │ lowest of B │ lowest of C ┐      children A, B, C
///                        │             │             │
///     leaf pages   ┌ a1 a2 a3 ┐  ┌ b1 b2 ┐     ┌ c1 c2 c3 c4 ┐     elements
///
/// Pages hold at most `capacity` entries. Two neighbours that fit one page are joined when one of them
/// has become small, so that the tree stays shallow. Elements that are equal take each other's place.
struct SortedPages<Element: Comparable & Sendable>: Sendable {
    static var capacity: Int { 32 }
    private static var sparse: Int { 8 }

    final class Page: Sendable {
        /// The elements of a leaf page; of an inner one, the lowest element of each child.
        let elements: [Element]
        /// The children of an inner page; none in a leaf page.
        let children: [Page]
        /// How many elements are in it and below.
        let count: Int

        init(leaf elements: [Element]) {
            self.elements = elements
            children = []
            count = elements.count
        }

        init(inner children: [Page]) {
            elements = children.map { $0.elements[0] }
            self.children = children
            count = children.reduce(0) { $0 + $1.count }
        }

        /// An inner page whose parts are known, so that no child but the changed one is looked at.
        init(inner children: [Page], lowest elements: [Element], count: Int) {
            self.elements = elements
            self.children = children
            self.count = count
        }
    }

    private(set) var root: Page?

    /// No elements.
    init() {}

    /// The elements of a sorted array without equal ones.
    ///
    /// - Complexity: O(n).
    init(sorted elements: [Element]) {
        guard !elements.isEmpty else { return }
        var pages = Self.chunks(elements).map { Page(leaf: $0) }
        while pages.count > 1 { pages = Self.chunks(pages).map { Page(inner: $0) } }
        root = pages[0]
    }

    var count: Int { root?.count ?? 0 }
    var isEmpty: Bool { root == nil }

    /// The element that is equal to `element`, if there is one.
    ///
    /// - Complexity: O(log n).
    func find(_ element: Element) -> Element? {
        guard var page = root else { return nil }
        while !page.children.isEmpty { page = page.children[page.childIndex(for: element)] }
        let index = page.elements.partitionPoint { $0 < element }
        return index < page.elements.count && page.elements[index] == element ? page.elements[index] : nil
    }

    /// Puts an element in, in the place of an equal one if there is one.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ element: Element) {
        guard let root else {
            self.root = Page(leaf: [element])
            return
        }
        let pages = root.inserting(element)
        self.root = pages.count == 1 ? pages[0] : Page(inner: pages)
    }

    /// Takes the element that is equal to `element` out; nothing happens if there is none.
    ///
    /// - Complexity: O(log n).
    mutating func remove(_ element: Element) {
        guard var page = root?.removing(element) else {
            root = nil
            return
        }
        while page.children.count == 1 { page = page.children[0] }
        root = page
    }

    private static func chunks<Item>(_ items: [Item]) -> [[Item]] {
        stride(from: 0, to: items.count, by: capacity).map { start in
            Array(items[start..<min(start + capacity, items.count)])
        }
    }
}

extension SortedPages.Page {
    /// The child that holds `element`, or would.
    fileprivate func childIndex(for element: Element) -> Int {
        max(0, elements.partitionPoint { $0 <= element } - 1)
    }

    /// One page, or two if it became too large.
    fileprivate func inserting(_ element: Element) -> [SortedPages.Page] {
        if children.isEmpty {
            var changed = elements
            let index = elements.partitionPoint { $0 < element }
            if index < elements.count, elements[index] == element {
                changed[index] = element
            } else {
                changed.insert(element, at: index)
            }
            return Self.split(changed, isAppended: index == elements.count).map { SortedPages.Page(leaf: $0) }
        }
        let index = childIndex(for: element)
        let pages = children[index].inserting(element)
        if pages.count == 1 { return [replacing(index, by: pages[0])] }
        let isLast = index == children.count - 1
        var changed = children
        changed.replaceSubrange(index...index, with: pages)
        return Self.split(changed, isAppended: isLast).map { SortedPages.Page(inner: $0) }
    }

    /// The inner page with another child in the place of one.
    private func replacing(_ index: Int, by child: SortedPages.Page) -> SortedPages.Page {
        var changed = children
        changed[index] = child
        var lowest = elements
        lowest[index] = child.elements[0]
        return SortedPages.Page(
            inner: changed, lowest: lowest, count: count + child.count - children[index].count)
    }

    /// The page without `element`; nil if nothing is left.
    fileprivate func removing(_ element: Element) -> SortedPages.Page? {
        if children.isEmpty {
            let index = elements.partitionPoint { $0 < element }
            guard index < elements.count, elements[index] == element else { return self }
            var changed = elements
            changed.remove(at: index)
            return changed.isEmpty ? nil : SortedPages.Page(leaf: changed)
        }
        let index = childIndex(for: element)
        let child = children[index].removing(element)
        if child === children[index] { return self }
        if let child, child.elements.count >= SortedPages.sparse { return replacing(index, by: child) }
        var changed = children
        if let child { changed[index] = child } else { changed.remove(at: index) }
        Self.join(&changed, around: index)
        return changed.isEmpty ? nil : SortedPages.Page(inner: changed)
    }

    /// Joins the child at `index` with a neighbour if it is sparse and both fit one page.
    private static func join(_ children: inout [SortedPages.Page], around index: Int) {
        guard index < children.count, children[index].elements.count < SortedPages.sparse else { return }
        for left in [index - 1, index] where left >= 0 && left + 1 < children.count {
            let (first, second) = (children[left], children[left + 1])
            guard first.elements.count + second.elements.count <= SortedPages.capacity else { continue }
            let joined =
                first.children.isEmpty
                ? SortedPages.Page(leaf: first.elements + second.elements)
                : SortedPages.Page(inner: first.children + second.children)
            children.replaceSubrange(left...left + 1, with: [joined])
            return
        }
    }

    /// Halves what is too large. What grows at its end keeps its first part full: keys often ascend.
    private static func split<Item>(_ items: [Item], isAppended: Bool) -> [[Item]] {
        guard items.count > SortedPages.capacity else { return [items] }
        let middle = isAppended ? items.count - 1 : items.count / 2
        return [Array(items[..<middle]), Array(items[middle...])]
    }
}

extension Array {
    /// The first index whose element does not belong before; the array must be sorted that way.
    ///
    /// - Complexity: O(log n).
    package func partitionPoint(_ belongsBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
