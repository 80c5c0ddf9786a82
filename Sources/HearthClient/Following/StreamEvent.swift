// One thing that a stream tells.

/// An event with its texts as the server wrote them, so that handing it on changes nothing.
public struct StreamEvent: Equatable, Sendable {
    /// The spelling of the kind.
    public let kind: String
    /// The child's key; nil for `value`.
    public let key: String?
    /// The key of the child before it, nil for the first and where the event has none.
    public let previous: String?
    /// The value, as JSON on one line.
    public let data: String
    /// Where a stream goes on behind the write that this event belongs to.
    public let cursor: String
    /// The whole event as JSON on one line.
    public let text: String
}

/// What one answer of a stream tells. It never ends in the middle of a write.
public struct EventBatch: Equatable, Sendable {
    /// Whether whatever was known before is void and the events are the present state.
    public let isResync: Bool
    /// In order.
    public let events: [StreamEvent]
    /// Where the stream goes on.
    public let cursor: String

    /// Puts a batch together.
    public init(isResync: Bool, events: [StreamEvent], cursor: String) {
        self.isResync = isResync
        self.events = events
        self.cursor = cursor
    }
}
