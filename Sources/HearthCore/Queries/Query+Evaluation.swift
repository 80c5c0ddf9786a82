// Where a child stands in the order that a query asks for, and whether a bound lets it through.

extension Query {
    /// Where a child stands in this query's order.
    ///
    /// - Complexity: O(depth · log n) of the ordered path.
    public func position(of child: Node, key: Key) -> Position {
        order.position(of: child, key: key)
    }

    /// Whether both bounds let a place through. The limit is not looked at.
    public func contains(_ position: Position) -> Bool {
        if let lower, position.precedes(lower, in: order) { return false }
        if let upper, !position.precedes(upper, in: order) { return false }
        return true
    }
}

extension Query.Order {
    /// What a child is ordered by.
    public func value(of child: Node) -> Query.Value {
        switch self {
        case .key: .null
        case .value: Query.Value(of: child)
        case .priority: Query.Value(of: child.priority)
        case .child(let path): Query.Value(of: child.descendant(at: path))
        }
    }

    func position(of child: Node, key: Key) -> Query.Position {
        Query.Position(value: value(of: child), key: key)
    }
}

extension Query.Value {
    /// The ordered value of a node: its leaf, or that it is nothing or has children.
    public init(of node: Node) {
        if let leaf = node.leaf {
            self = .leaf(leaf)
        } else {
            self = node.isEmpty ? .null : .object
        }
    }

    /// The ordered value of a priority: nothing, then numbers, then strings.
    public init(of priority: Priority) {
        switch priority {
        case .none: self = .null
        case .number(let number): self = .leaf(Leaf(number: number))
        case .string(let text): self = .leaf(.string(text))
        }
    }
}

extension Key {
    /// Whether this key lies before a place between keys.
    public func precedes(_ position: KeyPosition) -> Bool {
        switch position {
        case .start: false
        case .before(let other): self < other
        case .after(let other): self <= other
        case .end: true
        }
    }
}
