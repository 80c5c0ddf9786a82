// How much memory the unfinished bodies of all clients may take together.
import Synchronization

/// Bytes that all loops share out among the bodies they are receiving.
final class BodyBudget: Sendable {
    private let used = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes `count` bytes, or none and returns false when they are not to be had.
    func take(_ count: Int) -> Bool {
        let sum = used.add(count, ordering: .relaxed).newValue
        guard sum > limit else { return true }
        used.subtract(count, ordering: .relaxed)
        return false
    }

    /// Gives bytes back.
    func giveBack(_ count: Int) {
        let rest = used.subtract(count, ordering: .relaxed).newValue
        precondition(rest >= 0, "more is given back than was taken")
    }
}
