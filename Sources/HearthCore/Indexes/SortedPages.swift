// A sorted set that can be kept for free: each change makes a new one that shares all but one path of
// pages.

/// What a sorted set holds.
protocol PageElement: Comparable, Sendable {
    /// What an element may refer to without owning it.
    associatedtype Owned: Sendable = Never
    /// What must live as long as the element; pages own it, so that elements can be copied as bytes.
    var owned: Owned? { get }
    /// An equal element for inner pages, which stays there when other equal ones take this one's place: it
    /// must keep nothing alive that does not serve the comparison.
    var separator: Self { get }
}

extension PageElement {
    var separator: Self { self }
}

extension PageElement where Owned == Never {
    var owned: Never? { nil }
}

/// A sorted set of elements in an immutable B-tree.
///
///     inner page   ┌ lowest of A │ lowest of B │ lowest of C ┐      children A, B, C
///                        │             │             │
///     leaf pages   ┌ a1 a2 a3 ┐  ┌ b1 b2 ┐     ┌ c1 c2 c3 c4 ┐     elements
///
/// Pages hold at most `leafCapacity` elements or `innerCapacity` pages: a copied inner page counts itself
/// among the owners of all its children, which lie far apart in memory, and so it has fewer. Two neighbours
/// that fit one page are joined when one of them has become small, so that the tree stays shallow. Elements
/// that are equal take each other's place.
struct SortedPages<Element: PageElement>: Sendable {
    static var leafCapacity: Int { 32 }
    static var innerCapacity: Int { 16 }

    final class Page: Sendable {
        /// The elements of a leaf page; of an inner one, what separates its children: the lowest of each.
        let elements: ContiguousArray<Element>
        /// What the elements refer to.
        let owned: [Element.Owned]
        /// The children of an inner page; none in a leaf page.
        let children: ContiguousArray<Page>
        /// How many elements are in it and below.
        let count: Int

        init(leaf elements: ContiguousArray<Element>) {
            self.elements = elements
            owned = elements.compactMap(\.owned)
            children = []
            count = elements.count
        }

        init(inner children: ContiguousArray<Page>) {
            elements = ContiguousArray(children.map { $0.elements[0].separator })
            owned = elements.compactMap(\.owned)
            self.children = children
            count = children.reduce(0) { $0 + $1.count }
        }

        /// An inner page of which all but the children is that of another one.
        init(_ page: Page, children: ContiguousArray<Page>, count: Int) {
            elements = page.elements
            owned = page.owned
            self.children = children
            self.count = count
        }

        /// An inner page whose parts are known, so that no child but the changed one is looked at.
        init(inner children: ContiguousArray<Page>, lowest elements: ContiguousArray<Element>, count: Int) {
            self.elements = elements
            owned = elements.compactMap(\.owned)
            self.children = children
            self.count = count
        }
    }

    private(set) var root: Page?

    /// No elements.
    init() {}

    /// The elements of a sorted array without equal ones. Its pages have room left, so that the first
    /// insertions do not split them all.
    ///
    /// - Complexity: O(n).
    init(sorted elements: [Element]) {
        guard !elements.isEmpty else { return }
        var pages = Self.chunks(elements, upTo: Self.leafCapacity * 3 / 4).map { Page(leaf: $0) }
        while pages.count > 1 {
            pages = Self.chunks(pages, upTo: Self.innerCapacity * 3 / 4).map { Page(inner: $0) }
        }
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
        let (page, upper) = root.inserting(element)
        self.root = upper.map { Page(inner: [page, $0]) } ?? page
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

    private static func chunks<Item>(_ items: [Item], upTo count: Int) -> [ContiguousArray<Item>] {
        stride(from: 0, to: items.count, by: count).map { start in
            ContiguousArray(items[start..<min(start + count, items.count)])
        }
    }
}

extension SortedPages.Page {
    private var capacity: Int { children.isEmpty ? SortedPages.leafCapacity : SortedPages.innerCapacity }

    /// Whether it should be joined with a neighbour.
    private var isSparse: Bool { elements.count < capacity / 4 }

    /// The child that holds `element`, or would.
    fileprivate func childIndex(for element: Element) -> Int {
        max(0, elements.partitionPoint { $0 <= element } - 1)
    }

    /// The page with an element more, and the upper part of it if it became too large for one.
    fileprivate func inserting(_ element: Element) -> (page: SortedPages.Page, upper: SortedPages.Page?) {
        guard children.isEmpty else { return insertingBelow(element) }
        let index = elements.partitionPoint { $0 < element }
        if index < elements.count, elements[index] == element {
            var changed = elements
            changed[index] = element
            return (SortedPages.Page(leaf: changed), nil)
        }
        guard elements.count == capacity else {
            return (SortedPages.Page(leaf: elements.inserting(element, at: index)), nil)
        }
        // What grows at its end keeps its first part full, and as it is: keys often ascend.
        if index == elements.count { return (self, SortedPages.Page(leaf: [element])) }
        let (lower, upper) = elements.inserting(element, at: index).halves
        return (SortedPages.Page(leaf: lower), SortedPages.Page(leaf: upper))
    }

    private func insertingBelow(_ element: Element) -> (page: SortedPages.Page, upper: SortedPages.Page?) {
        let index = childIndex(for: element)
        let (child, upper) = children[index].inserting(element)
        let replaced = replacing(index, by: child)
        guard let upper else { return (replaced, nil) }
        guard children.count == capacity else { return (replaced.inserting(upper, at: index + 1), nil) }
        if index == children.count - 1 { return (replaced, SortedPages.Page(inner: [upper])) }
        let (first, second) = replaced.children.inserting(upper, at: index + 1).halves
        return (SortedPages.Page(inner: first), SortedPages.Page(inner: second))
    }

    /// The inner page with a child more.
    private func inserting(_ child: SortedPages.Page, at index: Int) -> SortedPages.Page {
        SortedPages.Page(
            inner: children.inserting(child, at: index),
            lowest: elements.inserting(child.elements[0].separator, at: index), count: count + child.count)
    }

    /// The inner page with another child in the place of one.
    private func replacing(_ index: Int, by child: SortedPages.Page) -> SortedPages.Page {
        if child === children[index] { return self }
        let count = count + child.count - children[index].count
        var changed = children
        changed[index] = child
        // Most often the lowest elements stay the same, and are shared.
        if child.elements[0] == elements[index] {
            return SortedPages.Page(self, children: changed, count: count)
        }
        var lowest = elements
        lowest[index] = child.elements[0].separator
        return SortedPages.Page(inner: changed, lowest: lowest, count: count)
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
        if let child, !child.isSparse { return replacing(index, by: child) }
        var changed = children
        if let child { changed[index] = child } else { changed.remove(at: index) }
        Self.join(&changed, around: index)
        return changed.isEmpty ? nil : SortedPages.Page(inner: changed)
    }

    /// Joins the child at `index` with a neighbour if it is sparse and both fit one page.
    private static func join(_ children: inout ContiguousArray<SortedPages.Page>, around index: Int) {
        guard index < children.count, children[index].isSparse else { return }
        for left in [index - 1, index] where left >= 0 && left + 1 < children.count {
            let (first, second) = (children[left], children[left + 1])
            guard first.elements.count + second.elements.count <= first.capacity else { continue }
            let joined =
                first.children.isEmpty
                ? SortedPages.Page(leaf: first.elements + second.elements)
                : SortedPages.Page(inner: first.children + second.children)
            children.replaceSubrange(left...left + 1, with: [joined])
            return
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element does not belong before; the collection must be sorted that way.
    ///
    /// - Complexity: O(log n).
    package func partitionPoint(_ belongsBefore: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ContiguousArray {
    /// A copy with one element more, and with no room to spare: pages are kept as they are.
    fileprivate func inserting(_ element: Element, at index: Int) -> ContiguousArray {
        withUnsafeBufferPointer { old in
            ContiguousArray(unsafeUninitializedCapacity: old.count + 1) { new, count in
                _ = new.initialize(fromContentsOf: old[..<index])
                new.initializeElement(at: index, to: element)
                _ = new[(index + 1)...].initialize(fromContentsOf: old[index...])
                count = old.count + 1
            }
        }
    }

    /// The lower and the upper half.
    fileprivate var halves: (lower: ContiguousArray, upper: ContiguousArray) {
        (ContiguousArray(self[..<(count / 2)]), ContiguousArray(self[(count / 2)...]))
    }
}
