// What must hold for a write to be done.

public import HearthCore

/// What must stand at the written place for a write to be done; looked at in the same step as the write.
public struct WriteCondition: Sendable {
    private let isMetBy: @Sendable (Node) -> Bool

    /// A condition on the current value with its priority. It runs under the lock: keep it short.
    public init(_ isMetBy: @escaping @Sendable (Node) -> Bool) {
        self.isMetBy = isMetBy
    }

    /// The place must have this ETag, as a client read it; `null_etag` if nothing may stand there.
    ///
    /// - Complexity: O(size) under the lock the first time that a value's digest is asked for, else along
    ///   what has been written since.
    public static func etag(_ etag: String) -> WriteCondition {
        let nothing = Node.empty.etag
        return WriteCondition { node in
            if etag == nothing || node.isEmpty { return etag == nothing && node.isEmpty }
            return node.etag == etag
        }
    }

    func isMet(by node: Node) -> Bool {
        isMetBy(node)
    }
}
