// What the journal has synced becomes what reads are served from.

import HearthCore

extension Database {
    /// The journal is synced up to `position`: states that end there or before are durable.
    ///
    /// - Complexity: O(states that became durable); what is large is retired, not freed.
    public mutating func durable(upTo position: Int64) {
        while let next = pending.first, next.position <= position {
            if next.dropsMuch { retired.append(Retired(durable)) }
            durable = next.state
            _ = pending.popFirst()
            timeline.forget(before: durable.revision)
        }
    }

    /// Whether some commits are not known to be durable yet.
    public var hasPending: Bool { !pending.isEmpty }
}
