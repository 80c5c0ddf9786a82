// What is known of a part of an expression before it is evaluated.

/// The kind of value that a part of an expression has, as far as it can be told (security-rules.md §7).
enum ValueType: Hashable, Sendable {
    case string, number, boolean, null
    case snapshot
    case query, request, resource
    /// A string, number, Boolean or null: what a snapshot's `val()` is, or a bound of a query.
    case primitive
    /// Reached through `auth`.
    case unknown
    /// A function that is not called.
    case function
    case list
    case pattern

    /// Whether `==` takes it.
    var isComparable: Bool {
        switch self {
        case .string, .number, .boolean, .null, .primitive, .unknown: true
        case .snapshot, .query, .request, .resource, .function, .list, .pattern: false
        }
    }

    /// What of values that cannot be told has this type.
    var isOpen: Bool { self == .primitive || self == .unknown }

    var mayBeNumber: Bool { self == .number || isOpen }
    var mayBeString: Bool { self == .string || isOpen }

    /// What one of two values is.
    func joined(with other: ValueType) -> ValueType? {
        if self == other { return self }
        guard isComparable, other.isComparable else { return nil }
        return self == .unknown || other == .unknown ? .unknown : .primitive
    }
}
