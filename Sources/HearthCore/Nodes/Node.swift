// A place in the tree, as a value.

/// A place in the tree: nothing, a leaf, or children in key order; all but nothing may carry a priority.
///
/// Immutable and structurally shared: a write makes a new node that shares all it did not change, and
/// keeping an old one costs nothing. No node is ever both without a value and without children, except
/// the empty one, and children are never empty. What is inside is private to this folder.
public struct Node: Sendable {
    enum Storage: Sendable {
        case empty
        case leaf(Leaf)
        case ranked(RankedLeaf)
        case children(Page)
        case rankedChildren(RankedChildren)
        /// Children that are few and small enough to stand in one text.
        case packed(PackedRecord)
    }

    var storage: Storage

    init(storage: Storage) {
        self.storage = storage
    }

    /// The node of these children, which are at least one.
    init(page: Page, priority: Priority = .none) {
        guard priority == .none else {
            storage = .rankedChildren(RankedChildren(page, priority))
            return
        }
        storage = page.record.map { .packed($0) } ?? .children(page)
    }

    /// The children, nil if there are none. Of packed ones it is made to be looked at.
    var page: Page? {
        switch storage {
        case .children(let page): page
        case .rankedChildren(let ranked): ranked.page
        case .packed(let record): record.page
        case .empty, .leaf, .ranked: nil
        }
    }

    var hasPriority: Bool {
        switch storage {
        case .ranked, .rankedChildren: true
        case .empty, .leaf, .children, .packed: false
        }
    }

    private static let priorityWeight = 24

    /// Nothing: what stands where there is no data.
    public static let empty = Node(storage: .empty)

    /// A leaf.
    public init(_ leaf: Leaf, priority: Priority = .none) {
        storage = priority == .none ? .leaf(leaf) : .ranked(RankedLeaf(leaf, priority))
    }

    /// Whether there is nothing.
    public var isEmpty: Bool {
        if case .empty = storage { return true }
        return false
    }

    /// The value, if this is a leaf.
    public var leaf: Leaf? {
        switch storage {
        case .leaf(let leaf): leaf
        case .ranked(let ranked): ranked.leaf
        case .empty, .children, .rankedChildren, .packed: nil
        }
    }

    /// The sort value, `.none` if it has none.
    public var priority: Priority {
        switch storage {
        case .empty, .leaf, .children, .packed: .none
        case .ranked(let ranked): ranked.priority
        case .rankedChildren(let ranked): ranked.priority
        }
    }

    /// The number of children. O(1), or O(size) of an object of up to a kilobyte.
    public var childCount: Int {
        switch storage {
        case .children(let page): page.tally.count
        case .rankedChildren(let ranked): ranked.page.tally.count
        case .packed(let record): record.childCount
        case .empty, .leaf, .ranked: 0
        }
    }

    /// Whether there are children. O(1).
    public var hasChildren: Bool {
        switch storage {
        case .children, .rankedChildren, .packed: true
        case .empty, .leaf, .ranked: false
        }
    }

    /// How many of the children have a priority: with none, priority order is key order. O(1).
    public var prioritizedChildCount: Int {
        switch storage {
        case .children(let page): page.tally.prioritizedCount
        case .rankedChildren(let ranked): ranked.page.tally.prioritizedCount
        case .empty, .leaf, .ranked, .packed: 0
        }
    }

    /// About how many bytes of JSON this is; close enough to choose a way and to bound memory. O(1).
    public var weight: Int {
        switch storage {
        case .empty: 4
        case .leaf(let leaf): leaf.weight
        case .ranked(let ranked): ranked.leaf.weight + Node.priorityWeight
        case .children(let page): page.tally.weight + 2
        case .rankedChildren(let ranked): ranked.page.tally.weight + 2 + Node.priorityWeight
        case .packed(let record): record.count
        }
    }

    /// The child of that name, empty if there is none.
    ///
    /// - Complexity: O(log n) in the number of children.
    public func child(_ key: Key) -> Node {
        switch storage {
        case .children(let page): page.node(key) ?? .empty
        case .rankedChildren(let ranked): ranked.page.node(key) ?? .empty
        case .packed(let record): record.child(key) ?? .empty
        case .empty, .leaf, .ranked: .empty
        }
    }

    /// What stands at `path`, read from here.
    ///
    /// - Complexity: O(depth · log n).
    public func descendant(at path: Path) -> Node {
        if path.isRoot { return self }
        return descendant(at: path.keys, from: 0) ?? .empty
    }

    func descendant(at keys: [Key], from depth: Int) -> Node? {
        switch storage {
        case .children(let page): page.descendant(at: keys, from: depth)
        case .rankedChildren(let ranked): ranked.page.descendant(at: keys, from: depth)
        case .packed(let record): record.descendant(at: keys, from: depth)
        case .empty, .leaf, .ranked: nil
        }
    }

    /// What stands at `path`, empty if nothing does; nil unless every place above has pages of children.
    ///
    /// - Complexity: O(depth · log n).
    func childOfPages(at path: Path) -> Node? {
        guard !path.isRoot else { return nil }
        switch storage {
        case .children(let page): return page.childOfPages(at: path.keys)
        case .rankedChildren(let ranked): return ranked.page.childOfPages(at: path.keys)
        case .empty, .leaf, .ranked, .packed: return nil
        }
    }

    /// Whether there is a child of that name.
    ///
    /// - Complexity: O(log n) in the number of children.
    public func hasChild(_ key: Key) -> Bool {
        switch storage {
        case .children(let page): page.contains(key)
        case .rankedChildren(let ranked): ranked.page.contains(key)
        case .packed(let record): record.contains(key)
        case .empty, .leaf, .ranked: false
        }
    }

    /// What kind of value this is, if this is a leaf.
    public var leafKind: Leaf.Kind? {
        switch storage {
        case .leaf(let leaf): leaf.kind
        case .ranked(let ranked): ranked.leaf.kind
        case .empty, .children, .rankedChildren, .packed: nil
        }
    }
}

/// Children whose parent has a priority.
final class RankedChildren: Sendable {
    let page: Page
    let priority: Priority

    init(_ page: Page, _ priority: Priority) {
        self.page = page
        self.priority = priority
    }
}

/// A leaf that has a priority.
final class RankedLeaf: Sendable {
    let leaf: Leaf
    let priority: Priority

    init(_ leaf: Leaf, _ priority: Priority) {
        self.leaf = leaf
        self.priority = priority
    }
}

extension Leaf {
    /// About how many bytes of JSON this is.
    var weight: Int {
        switch self {
        case .bool: 5
        case .integer, .double: 10
        case .string(let text): text.utf8.count + 2
        }
    }
}
