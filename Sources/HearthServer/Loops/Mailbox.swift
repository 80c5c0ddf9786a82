// How other threads reach a loop.
import Synchronization

/// Messages to one loop, from any thread. A leaf lock: nothing else is locked while it is held.
///
/// Messages arrive in the order in which they were posted, so that events posted under a namespace's lock
/// are heard in the order of its commits.
final class Mailbox: Sendable {
    private struct Content {
        var messages: [LoopMessage] = []
        /// Whether the loop sleeps, or is about to, and hears of the next message by the bell alone.
        var isAwaited = false
    }

    private let content = Mutex(Content())
    private let bell: Bell

    /// - Throws: `SystemFailure` when the system gives no descriptor for it.
    init() throws(SystemFailure) {
        bell = try Bell(blocking: false)
    }

    /// What the loop's poller watches.
    var descriptor: Int32 { bell.number }

    /// Adds a message; the loop is woken only if it sleeps.
    func post(_ message: LoopMessage) {
        if add(message) { bell.ring() }
    }

    /// Adds a message under another lock, and returns whether the loop must be woken once that is given back.
    func add(_ message: LoopMessage) -> Bool {
        content.withLock { content in
            content.messages.append(message)
            defer { content.isAwaited = false }
            return content.isAwaited
        }
    }

    /// Wakes the loop.
    func ring() {
        bell.ring()
    }

    /// Has the next message ring the bell, if nothing waits already: the loop asks before it sleeps.
    ///
    /// - Returns: whether it may sleep.
    func awaitNext() -> Bool {
        content.withLock { content in
            content.isAwaited = content.messages.isEmpty
            return content.isAwaited
        }
    }

    /// Hears the bell; to be called before `drain`, when the poller says that it rang.
    func listen() {
        bell.listen()
    }

    /// Whether nothing waits.
    var isEmpty: Bool { content.withLock { $0.messages.isEmpty } }

    /// Swaps the waiting messages for the empty `list`, whose memory is used again.
    func drain(into list: inout [LoopMessage]) {
        content.withLock { content in
            swap(&content.messages, &list)
            content.isAwaited = false
        }
    }
}
