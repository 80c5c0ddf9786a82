// What must hold for a write to be done.

public import HearthCore

/// What must stand at the written place for a write to be done; looked at in the same step as the write.
public struct WriteCondition: Sendable {
    /// What is heavier is not hashed under the lock while it can be done outside.
    private static let inlineWeight = 65_536

    private let isMetBy: @Sendable (Node) -> Bool
    private let isReadyFor: @Sendable (Node) -> Bool

    /// A condition on the current value with its priority. It runs under the lock: keep it short.
    public init(_ isMetBy: @escaping @Sendable (Node) -> Bool) {
        self.init(isMetBy, isReadyFor: { _ in true })
    }

    private init(
        _ isMetBy: @escaping @Sendable (Node) -> Bool, isReadyFor: @escaping @Sendable (Node) -> Bool
    ) {
        self.isMetBy = isMetBy
        self.isReadyFor = isReadyFor
    }

    /// The place must have this ETag, as a client read it; `null_etag` if nothing may stand there.
    ///
    /// It is ready for a value whose digest is known but for little (`Node.hasDigest`).
    ///
    /// - Complexity: along what has been written since the digest was made.
    public static func etag(_ etag: String) -> WriteCondition {
        let nothing = Node.empty.etag
        return WriteCondition(
            { node in
                if etag == nothing || node.isEmpty { return etag == nothing && node.isEmpty }
                return node.etag == etag
            }, isReadyFor: { etag == nothing || $0.hasDigest() })
    }

    /// The place must have the realtime protocol's hash, whatever it takes to find it out.
    ///
    /// - Complexity: O(size) under the lock.
    public static func listenHash(_ hash: String) -> WriteCondition {
        WriteCondition { $0.matches(listenHash: hash) }
    }

    /// The same, decided before the lock is taken for what is most likely to stand there still.
    ///
    /// If something else large stands there, the condition is not ready; if it is small, it is hashed under
    /// the lock.
    ///
    /// - Parameter node: what stood at the place lately.
    /// - Complexity: O(size) here, O(1) under the lock.
    public static func listenHash(_ hash: String, lastSeen node: Node) -> WriteCondition {
        let isMet = node.matches(listenHash: hash)
        return WriteCondition(
            { $0.isIdentical(to: node) ? isMet : $0.matches(listenHash: hash) },
            isReadyFor: { $0.isIdentical(to: node) || $0.weight <= inlineWeight })
    }

    /// Whether it takes little to see if the condition is met by a value. O(1).
    public func isReady(for node: Node) -> Bool {
        isReadyFor(node)
    }

    func isMet(by node: Node) -> Bool {
        isMetBy(node)
    }
}
