// The children of one node in key order.

/// The children of one node in key order, with the node's priority.
final class ChildTree: Sendable {
    let priority: Priority
    let entries: [ChildEntry]
    let prioritizedCount: Int
    let weight: Int

    init(priority: Priority, entries: [ChildEntry] = []) {
        self.priority = priority
        self.entries = entries
        prioritizedCount = entries.count { $0.node.priority != .none }
        weight = entries.reduce(2) { $0 + $1.node.weight + 24 }
    }

    var count: Int { entries.count }

    func lowerBound(_ key: Key) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func node(for key: Key) -> Node? {
        let index = lowerBound(key)
        return index < entries.count && entries[index].key == key ? entries[index].node : nil
    }

    func setting(_ node: Node, for key: Key) -> ChildTree {
        var changed = entries
        let index = lowerBound(key)
        let isPresent = index < entries.count && entries[index].key == key
        if node.isEmpty {
            if isPresent { changed.remove(at: index) }
        } else if isPresent {
            changed[index] = ChildEntry(key: key, node: node)
        } else {
            changed.insert(ChildEntry(key: key, node: node), at: index)
        }
        return ChildTree(priority: priority, entries: changed)
    }

    func settingPriority(_ priority: Priority) -> ChildTree {
        ChildTree(priority: priority, entries: entries)
    }
}
