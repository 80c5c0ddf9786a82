// What is no longer needed and too large to be freed under the lock.

import HearthCore

/// Something large that is no longer needed. Dropping it may free many nodes: do it on a worker.
public struct Retired: Sendable {
    /// What weighs more is handed out instead of being freed at once; in bytes of JSON, about.
    static let weightThreshold = 65_536

    private enum Content {
        case state(State)
        case history([History.Chunk?])
    }

    private let content: Content

    init(_ state: State) {
        content = .state(state)
    }

    init(_ chunks: [History.Chunk?]) {
        content = .history(chunks)
    }
}
