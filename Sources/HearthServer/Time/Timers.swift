// When a loop must look at which connection again.

/// Deadlines of connections, the next one first.
///
/// A binary heap with one entry for each connection at most, as long as callers keep to the protocol below: a
/// deadline that moves away is not touched, and found to be too early when it expires; only one that comes
/// nearer is entered again. A connection that answers many requests thus costs no heap work for each.
struct Timers {
    private struct Entry {
        let deadline: Int64
        let token: PollToken
    }

    private var heap: [Entry] = []

    /// The next deadline in monotonic nanoseconds, nil if there is none.
    var next: Int64? { heap.first?.deadline }

    /// Enters a deadline. O(log n).
    mutating func add(_ token: PollToken, at deadline: Int64) {
        heap.append(Entry(deadline: deadline, token: token))
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].deadline < heap[parent].deadline else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes out an entry whose deadline is not after `now`. O(log n).
    mutating func expire(now: Int64) -> PollToken? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.token
    }

    private mutating func sink() {
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
            guard heap[child].deadline < heap[index].deadline else { return }
            heap.swapAt(child, index)
            index = child
        }
    }
}
