// Which children of a place are asked for, and in which order.

/// Order, bounds and limit over the children of one place. Source: rest-api.md §5.
public struct Query: Hashable, Sendable {
    /// What children are ordered by; ties go by key.
    public enum Order: Hashable, Sendable {
        /// By name.
        case key
        /// By the child's own value.
        case value
        /// By priority: the SDKs' default, and the natural order of a place without a query.
        case priority
        /// By the value at a path below the child.
        case child(Path)
    }

    /// The ordered value of a child, or of a bound: nothing, a leaf, or any object.
    public enum Value: Hashable, Sendable {
        /// No value.
        case null
        /// A leaf.
        case leaf(Leaf)
        /// Children; all are equal.
        case object
    }

    /// One end of a range: a place in the total order over (value, key).
    public struct Bound: Hashable, Sendable {
        /// The ordered value. For the order by key it is not looked at.
        public var value: Value { ordered.value }
        /// The key beside the value; `start` and `end` stand before and after all keys of that value.
        public let key: KeyPosition
        let ordered: OrderedValue

        /// Puts a bound together.
        public init(value: Value, key: KeyPosition) {
            ordered = OrderedValue(value)
            self.key = key
        }
    }

    /// How many children at most, counted from one end.
    public enum Limit: Hashable, Sendable {
        /// The first ones in the order.
        case first(Int)
        /// The last ones in the order.
        case last(Int)
    }

    /// What children are ordered by.
    public var order: Order
    /// Children before it are out; nil has none out.
    public var lower: Bound?
    /// Children after it are out; nil has none out.
    public var upper: Bound?
    /// How many at most.
    public var limit: Limit?

    /// Puts a query together.
    public init(order: Order = .priority, lower: Bound? = nil, upper: Bound? = nil, limit: Limit? = nil) {
        self.order = order
        self.lower = lower
        self.upper = upper
        self.limit = limit
    }

    /// The question without order, bounds or limit: the whole value of a place.
    public static let whole = Query()

    /// Whether all children are asked for, whatever the order.
    public var isUnfiltered: Bool {
        lower == nil && upper == nil && limit == nil
    }
}

extension Query.Value {
    /// The place in the order of values: nothing, leaves, objects.
    public func ordering(to other: Query.Value) -> Ordering {
        if case .leaf(let left) = self, case .leaf(let right) = other { return left.ordering(to: right) }
        return Ordering(rank, other.rank)
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .leaf: 1
        case .object: 2
        }
    }
}
