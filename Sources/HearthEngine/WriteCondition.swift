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

    /// The place must have the realtime protocol's hash, which is made before the lock is taken, of what is
    /// most likely to stand there still.
    ///
    /// If something else stands there and is small, it is hashed under the lock. If it is large, the
    /// condition is not met if it was not met by what was seen, since the request had begun then; otherwise
    /// it is not ready.
    ///
    /// - Parameter node: what stood at the place lately, but after the request had come.
    /// - Complexity: O(size) here, O(1) under the lock.
    public static func listenHash(_ hash: String, lastSeen node: Node) -> WriteCondition {
        let isMet = node.matches(listenHash: hash)
        return WriteCondition(
            { current in
                if current.isIdentical(to: node) { return isMet }
                return current.weight <= inlineWeight && current.matches(listenHash: hash)
            },
            isReadyFor: { !isMet || $0.isIdentical(to: node) || $0.weight <= inlineWeight })
    }

    /// Whether it takes little to see if the condition is met by a value. O(1).
    public func isReady(for node: Node) -> Bool {
        isReadyFor(node)
    }

    func isMet(by node: Node) -> Bool {
        isMetBy(node)
    }
}
