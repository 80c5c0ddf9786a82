// What can be subscribed to: a place, and which of its children.

public import HearthCore

/// What can be subscribed to: a query at a place. All subscribers of equal ones share one `ViewID`.
public struct View: Hashable, Sendable {
    /// The place.
    public let path: Path
    /// Which of its children, in which order.
    public let query: Query

    /// Puts the two together.
    public init(path: Path, query: Query = .whole) {
        self.path = path
        self.query = query
    }
}

/// Names a view that somebody is subscribed to. Never used again for another one while the process runs.
public struct ViewID: Hashable, Sendable {
    /// Counted from 1 in each namespace.
    public let number: Int

    /// Wraps a number.
    public init(number: Int) {
        self.number = number
    }
}

/// Some of the server's loops, which count from 0.
public struct LoopSet: Hashable, Sendable {
    /// How many loops there may be.
    public static let capacity = 64

    private var bits: UInt64

    /// No loop.
    public init() {
        bits = 0
    }

    /// Whether no loop is in it.
    public var isEmpty: Bool { bits == 0 }

    /// Whether `loop` is in it.
    public func contains(_ loop: Int) -> Bool {
        bits & (1 << UInt64(loop)) != 0
    }

    /// Adds a loop.
    ///
    /// - Precondition: `loop` is below `capacity`.
    public mutating func insert(_ loop: Int) {
        precondition((0..<Self.capacity).contains(loop), "loops count from 0 to \(Self.capacity - 1)")
        bits |= 1 << UInt64(loop)
    }

    /// Takes a loop out.
    public mutating func remove(_ loop: Int) {
        bits &= ~(1 << UInt64(loop))
    }

    /// Adds all of `other`.
    public mutating func formUnion(_ other: LoopSet) {
        bits |= other.bits
    }
}
