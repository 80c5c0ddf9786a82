// Writes make a new node: what is above the written place is copied if it is shared, all else is shared.

extension Node {
    /// The tree with `node` at `path` instead of what stood there, priority included.
    ///
    /// Setting nothing removes; ancestors left without children vanish with their priorities; removing
    /// below a leaf changes nothing. Setting below a leaf turns it into children and keeps its priority
    /// (wire-protocol.md §10.3).
    ///
    /// - Complexity: O(depth · log n) in the number of siblings.
    public func setting(_ node: Node, at path: Path) -> Node {
        var changed = self
        changed.set(node, at: path)
        return changed
    }

    /// The mutating twin of `setting(_:at:)`. What no other node shares is changed in place.
    public mutating func set(_ node: Node, at path: Path) {
        if node.isEmpty, descendant(at: path).isEmpty { return }
        set(node, at: path.keys, from: 0)
    }

    /// The same value with another priority; nothing stays nothing.
    public func settingPriority(_ priority: Priority) -> Node {
        switch storage {
        case .empty: self
        case .leaf(let leaf): Node(leaf, priority: priority)
        case .ranked(let ranked): Node(ranked.leaf, priority: priority)
        case .children(let page): Node(page: page, priority: priority)
        case .rankedChildren(let ranked): Node(page: ranked.page, priority: priority)
        case .packed(let record): record.settingPriority(priority)
        }
    }

    private mutating func set(_ node: Node, at keys: [Key], from depth: Int) {
        guard depth < keys.count else {
            self = node.detached
            return
        }
        changeChild(keys[depth]) { $0.set(node, at: keys, from: depth + 1) }
    }

    private mutating func changeChild(_ key: Key, _ change: (inout Node) -> Void) {
        let old = storage
        // Without this the page would have two owners and could not change in place.
        storage = .empty
        switch consume old {
        case .children(var page):
            Page.update(root: &page, key, change)
            if page.tally.count > 0 { self = Node(page: page) }
        case .rankedChildren(let ranked):
            var page = ranked.page
            Page.update(root: &page, key, change)
            if page.tally.count > 0 { self = Node(page: page, priority: ranked.priority) }
        case .packed(let record):
            var child = record.child(key) ?? .empty
            change(&child)
            self = record.setting(child, for: key)
        case .empty: self = Node.parent(of: key, change, instead: .empty)
        case .leaf(let leaf): self = Node.parent(of: key, change, instead: Node(leaf))
        case .ranked(let ranked):
            self = Node.parent(of: key, change, instead: Node(storage: .ranked(ranked)))
        }
    }

    /// The parent of one new child, with the priority of `old`; `old` itself if there is no child.
    private static func parent(of key: Key, _ change: (inout Node) -> Void, instead old: Node) -> Node {
        var child = Node.empty
        change(&child)
        if child.isEmpty { return old }
        return Node(page: .leaf([ChildEntry(key: key, node: child)]), priority: old.priority)
    }
}
