// What must hold for a write to be done.

public import HearthCore

/// What must stand at the written place for a write to be done; looked at in the same step as the write.
public struct WriteCondition: Sendable {
    private let isMetBy: @Sendable (Node) -> Bool

    /// A condition on the current value with its priority. It runs under the lock: keep it short.
    public init(_ isMetBy: @escaping @Sendable (Node) -> Bool) {
        self.isMetBy = isMetBy
    }

    func isMet(by node: Node) -> Bool {
        isMetBy(node)
    }
}
