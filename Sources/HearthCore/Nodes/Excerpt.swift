// What a read has found, before anything is made of it.

/// A place as far as it is asked for: all of it, or some of its children. To be written as text without being
/// made into a node first.
public enum Excerpt: Sendable {
    /// All that stands there.
    case whole(Node)
    /// Children that follow each other, without the priority of their parent.
    case run(ChildRun)
    /// Children in ascending key order, without the priority of their parent.
    case picked([ChildEntry])

    /// Whether there is nothing.
    public var isEmpty: Bool {
        switch self {
        case .whole(let node): node.isEmpty
        case .run(let run): run.isEmpty
        case .picked(let children): children.isEmpty
        }
    }

    /// The number of children.
    public var childCount: Int {
        switch self {
        case .whole(let node): node.childCount
        case .run(let run): run.count
        case .picked(let children): children.count
        }
    }

    /// About how many bytes of JSON this is.
    ///
    /// - Complexity: O(1) of a whole node, else O(children); of children kept as text O(children / page).
    public var weight: Int {
        switch self {
        case .whole(let node): node.weight
        case .run(let run): run.weight
        case .picked(let children):
            children.reduce(2) { $0 + $1.node.weight + $1.key.byteCount + 4 }
        }
    }

    /// The same as a node.
    ///
    /// - Complexity: O(1) of a whole node, else O(children).
    public var node: Node {
        switch self {
        case .whole(let node): return node
        case .run(let run): return run.node
        case .picked(let children):
            var builder = Node.Builder()
            for child in children { builder.insert(child.node, for: child.key) }
            return builder.finish()
        }
    }
}
