// The address of a node: the keys from the root down to it.

/// The address of a node: the keys from the root down to it; the root's path has none.
///
/// Written with slashes, `/rooms/lobby`; leading, trailing and doubled slashes do not count.
public struct Path: Hashable, Sendable {
    /// How many levels the tree may have, path and value together. Source: rest-api.md §3.
    public static let depthLimit = 32

    /// The address of the whole tree.
    public static let root = Path([])

    /// The steps from the root down.
    public private(set) var keys: [Key]

    /// Wraps steps that were checked before.
    public init(_ keys: [Key]) {
        self.keys = keys
    }

    /// Splits `text` at its slashes and checks each key.
    public init(_ text: String) throws(KeyError) {
        var keys: [Key] = []
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            keys.append(try Key(String(part) ?? ""))
        }
        self.init(keys)
    }

    /// Whether this is the address of the whole tree.
    public var isRoot: Bool { keys.isEmpty }

    /// The number of steps from the root.
    public var depth: Int { keys.count }

    /// The last step, nil for the root.
    public var last: Key? { keys.last }

    /// The address one step up; nil for the root.
    public var parent: Path? { keys.isEmpty ? nil : Path(Array(keys.dropLast())) }

    /// The address of a child.
    public func appending(_ key: Key) -> Path {
        var longer: [Key] = []
        longer.reserveCapacity(keys.count + 1)
        longer.append(contentsOf: keys)
        longer.append(key)
        return Path(longer)
    }

    /// The address that `other` has when it is read from here.
    public func appending(_ other: Path) -> Path {
        other.isRoot ? self : Path(keys + other.keys)
    }

    /// Whether `other` is this address or below it.
    public func contains(_ other: Path) -> Bool {
        other.keys.starts(with: keys)
    }

    /// How many steps both addresses begin with.
    public func sharedDepth(with other: Path) -> Int {
        keys.withUnsafeBufferPointer { left in
            other.keys.withUnsafeBufferPointer { right in
                let count = min(left.count, right.count)
                if left.baseAddress == right.baseAddress { return count }
                var depth = 0
                while depth < count, left[depth] == right[depth] { depth += 1 }
                return depth
            }
        }
    }

    /// The first `count` steps.
    public func prefix(_ count: Int) -> Path {
        Path(Array(keys.prefix(count)))
    }

    /// What is left of this address after its first `count` steps.
    public func dropping(_ count: Int) -> Path {
        Path(Array(keys.dropFirst(count)))
    }
}

extension Path: CustomStringConvertible {
    /// With a leading slash; the root is `/`.
    public var description: String {
        keys.isEmpty ? "/" : keys.map { "/" + $0.text }.joined()
    }
}
