// First in, first out, without moving what stays.

/// First in, first out; the newest elements can be looked through.
struct Queue<Element: Sendable>: Sendable {
    private static var compactionThreshold: Int { 64 }

    private var slots: [Element?] = []
    private var start = 0

    var count: Int { slots.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : slots[start] }
    var last: Element? { isEmpty ? nil : slots[slots.count - 1] }

    /// Adds at the end. Amortised O(1).
    mutating func append(_ element: Element) {
        slots.append(element)
    }

    /// Takes the oldest element out. Amortised O(1).
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[start].take()
        start += 1
        if start > Self.compactionThreshold, start > slots.count / 2 {
            slots.removeFirst(start)
            start = 0
        }
        return element
    }

    /// Puts another element in the place of the newest one, if there is one.
    mutating func replaceLast(_ element: Element) {
        if !isEmpty { slots[slots.count - 1] = element }
    }

    /// Takes everything out, oldest first. O(1) if the result is passed on.
    mutating func removeAll() -> [Element?] {
        let all = slots
        slots = []
        start = 0
        return all
    }

    /// The elements after the `count` oldest ones.
    func dropFirst(_ count: Int) -> [Element] {
        slots[min(slots.count, start + count)...].compactMap { $0 }
    }
}
