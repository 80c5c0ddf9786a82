// The slow and obvious node: plain nested dictionaries, against which the real one is checked.
import Foundation
import HearthCore

/// A node as nested dictionaries, with the rules of wire-protocol.md §10.3 and §10.4 written out.
indirect enum ModelNode: Equatable {
    case empty
    case leaf(Leaf, Priority)
    case children([String: ModelNode], Priority)

    var children: [String: ModelNode] {
        if case .children(let children, _) = self { return children }
        return [:]
    }

    var priority: Priority {
        switch self {
        case .empty: .none
        case .leaf(_, let priority), .children(_, let priority): priority
        }
    }

    func descendant(at keys: ArraySlice<String>) -> ModelNode {
        guard let key = keys.first else { return self }
        return (children[key] ?? .empty).descendant(at: keys.dropFirst())
    }

    func setting(_ node: ModelNode, at keys: ArraySlice<String>) -> ModelNode {
        guard let key = keys.first else { return node }
        let child = (children[key] ?? .empty).setting(node, at: keys.dropFirst())
        var changed = children
        if child == .empty {
            if changed.removeValue(forKey: key) == nil { return self }
        } else {
            changed[key] = child
        }
        return changed.isEmpty ? .empty : .children(changed, priority)
    }

    func settingPriority(_ priority: Priority) -> ModelNode {
        switch self {
        case .empty: .empty
        case .leaf(let leaf, _): .leaf(leaf, priority)
        case .children(let children, _): .children(children, priority)
        }
    }

    /// Keys in Firebase's order: integers by value, shorter first, then text by UTF-16 code units.
    static func precedes(_ left: String, _ right: String) -> Bool {
        switch (integer(left), integer(right)) {
        case (let one?, let other?):
            if one != other { return one < other }
            if left.utf8.count != right.utf8.count { return left.utf8.count < right.utf8.count }
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left.utf16.lexicographicallyPrecedes(right.utf16)
        }
    }

    private static func integer(_ text: String) -> Int? {
        guard text.range(of: "^-?0*[0-9]{1,10}$", options: .regularExpression) != nil,
            let value = Int(text), (Int(Int32.min)...Int(Int32.max)).contains(value)
        else { return nil }
        return value
    }

    /// The text of an export, written in the most direct way.
    var export: String {
        switch self {
        case .empty: return "null"
        case .leaf(let leaf, .none): return Self.json(leaf)
        case .leaf(let leaf, let priority):
            return #"{".value":\#(Self.json(leaf)),".priority":\#(Self.json(priority))}"#
        case .children(let children, let priority):
            var members = children.sorted { Self.precedes($0.key, $1.key) }
                .map { "\(Self.json(Leaf.string($0.key))):\($0.value.export)" }
            if priority != .none { members.append(#"".priority":\#(Self.json(priority))"#) }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private static func json(_ leaf: Leaf) -> String {
        switch leaf {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        }
    }

    private static func json(_ priority: Priority) -> String {
        switch priority {
        case .none: "null"
        case .number(let value): json(Leaf(number: value))
        case .string(let text): json(Leaf.string(text))
        }
    }
}

extension ModelNode {
    /// The node that this one stands for, built child by child in the dictionary's own order.
    func real() throws -> Node {
        switch self {
        case .empty: return .empty
        case .leaf(let leaf, let priority): return Node(leaf, priority: priority)
        case .children(let children, let priority):
            var builder = Node.Builder()
            for (key, child) in children { builder.insert(try child.real(), for: try Key(key)) }
            return builder.finish(priority: priority)
        }
    }
}
