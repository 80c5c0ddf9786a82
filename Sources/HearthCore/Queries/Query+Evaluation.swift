// Where a child stands in the order that a query asks for, and whether a bound lets it through.

extension Query {
    /// A place in the total order of a query: the ordered value, then the key (rest-api.md §5).
    public struct Position: Hashable, Sendable {
        /// What the child is ordered by; `null` for all children in the order by key.
        public let value: Value
        /// The child's name, which decides between equal values.
        public let key: Key

        /// Puts a place together.
        public init(value: Value, key: Key) {
            self.value = value
            self.key = key
        }
    }

    /// Where a child stands in this query's order.
    ///
    /// - Complexity: O(depth · log n) of the ordered path.
    public func position(of child: Node, key: Key) -> Position {
        Position(value: order.value(of: child), key: key)
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

extension Query.Position: Comparable, PageElement {
    /// By value, then by key.
    public static func < (left: Query.Position, right: Query.Position) -> Bool {
        switch left.value.ordering(to: right.value) {
        case .ascending: true
        case .descending: false
        case .same: left.key < right.key
        }
    }

    /// Equal means: the same place. Texts count by their UTF-8, as everywhere.
    public static func == (left: Query.Position, right: Query.Position) -> Bool {
        left.key == right.key && left.value.ordering(to: right.value) == .same
    }

    /// Whether this place lies before a bound; a bound stands between places, never on one.
    public func precedes(_ bound: Query.Bound, in order: Query.Order) -> Bool {
        if order != .key {
            switch value.ordering(to: bound.value) {
            case .ascending: return true
            case .descending: return false
            case .same: break
            }
        }
        return key.precedes(bound.key)
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
