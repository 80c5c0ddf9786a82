// The value of a leaf, the priority of a node, and their orders.

/// The value of a leaf: what JSON calls a primitive, without null.
public enum Leaf: Hashable, Sendable {
    /// `false` or `true`.
    case bool(Bool)
    /// A whole number that fits 64 bits; `-0` is 0.
    case integer(Int64)
    /// Any other number: finite, and never one that `integer` can hold exactly.
    case double(Double)
    /// Text, at most 10 MiB of UTF-8.
    case string(String)

    /// The most bytes of UTF-8 that a string may have. Source: rest-api.md §3.
    public static let stringByteLimit = 10_485_760

    /// A number in its canonical case: whole numbers within 64 bits become integers.
    ///
    /// - Precondition: `value` is finite.
    public init(number value: Double) {
        precondition(value.isFinite, "numbers are finite")
        if let exact = Int64(exactly: value) {
            self = .integer(exact)
        } else {
            self = .double(value)
        }
    }

    /// What JSON tells apart.
    public enum Kind: Hashable, Sendable {
        case bool, number, string
    }

    /// Which of them this is.
    public var kind: Kind {
        switch self {
        case .bool: .bool
        case .integer, .double: .number
        case .string: .string
        }
    }

    /// The value as a double, nil if it is no number.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .bool, .string: nil
        }
    }
}

/// The optional sort value of a node.
public enum Priority: Hashable, Sendable {
    /// Sorts before all others.
    case none
    /// Sorts by value. Never a NaN or an infinity.
    case number(Double)
    /// Sorts after numbers, by UTF-16 code units.
    case string(String)
}

/// Which of two values comes first.
public enum Ordering: Hashable, Sendable {
    /// The left one comes first.
    case ascending
    /// They have the same place.
    case same
    /// The right one comes first.
    case descending

    /// The ordering of two values that can be compared.
    @inlinable
    public init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .ascending : left == right ? .same : .descending
    }

    /// By UTF-16 code units, as Firebase orders strings.
    ///
    /// - Complexity: O(length of the common prefix).
    public init(utf16 left: String, _ right: String) {
        var left = left
        var right = right
        self = left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in Ordering(utf8: leftBytes, rightBytes) }
        }
    }

    private init(utf8 left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) {
        let common = min(left.count, right.count)
        var index = 0
        while index < common && left[index] == right[index] { index += 1 }
        if index < common {
            self = Ordering(Key.mapped(left[index]), Key.mapped(right[index]))
        } else {
            self = Ordering(left.count, right.count)
        }
    }
}

extension Leaf {
    /// The place in the order of values: false, true, numbers, strings (rest-api.md §5). Integers and
    /// doubles compare by their exact values.
    public func ordering(to other: Leaf) -> Ordering {
        switch (self, other) {
        case (.bool(let left), .bool(let right)): Ordering(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): Ordering(left, right)
        case (.double(let left), .double(let right)): Ordering(left, right)
        case (.integer(let left), .double(let right)): Leaf.ordering(left, right)
        case (.double(let left), .integer(let right)): Leaf.ordering(right, left).reversed
        case (.string(let left), .string(let right)): Ordering(utf16: left, right)
        default: Ordering(rank, other.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .bool: 0
        case .integer, .double: 1
        case .string: 2
        }
    }

    private static func ordering(_ whole: Int64, _ double: Double) -> Ordering {
        // A double that is no 64-bit integer: it lies outside their range or has a fraction below 2^53.
        if double >= 0x1p63 { return .ascending }
        if double < -0x1p63 { return .descending }
        let floor = Int64(double.rounded(.down))
        return whole <= floor ? .ascending : .descending
    }
}

extension Ordering {
    /// The ordering of the two values the other way round.
    public var reversed: Ordering {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }
}

extension Priority {
    /// None, then numbers, then strings (rest-api.md §5).
    public func ordering(to other: Priority) -> Ordering {
        switch (self, other) {
        case (.number(let left), .number(let right)): Ordering(left, right)
        case (.string(let left), .string(let right)): Ordering(utf16: left, right)
        default: Ordering(rank, other.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .number: 1
        case .string: 2
        }
    }
}
