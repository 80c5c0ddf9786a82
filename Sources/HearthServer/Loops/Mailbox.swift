// How other threads reach a loop.
import Synchronization

/// Messages to one loop, from any thread. A leaf lock: nothing else is locked while it is held.
///
/// Messages arrive in the order in which they were posted, so that events posted under a namespace's lock
/// are heard in the order of its commits.
final class Mailbox: Sendable {
    private let messages = Mutex<[LoopMessage]>([])
    private let bell: Bell

    /// - Throws: `SystemFailure` when the system gives no descriptor for it.
    init() throws(SystemFailure) {
        bell = try Bell(blocking: false)
    }

    /// What the loop's poller watches.
    var descriptor: Int32 { bell.number }

    /// Adds a message; the loop is woken only if it may not know of any yet.
    func post(_ message: LoopMessage) {
        if add(message) { bell.ring() }
    }

    /// Adds a message under another lock, and returns whether the loop must be woken once that is given back.
    func add(_ message: LoopMessage) -> Bool {
        messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
    }

    /// Wakes the loop.
    func ring() {
        bell.ring()
    }

    /// Hears the bell; to be called before `drain`, when the poller says that it rang.
    func listen() {
        bell.listen()
    }

    /// Whether nothing waits.
    var isEmpty: Bool { messages.withLock { $0.isEmpty } }

    /// Swaps the waiting messages for the empty `list`, whose memory is used again.
    func drain(into list: inout [LoopMessage]) {
        messages.withLock { swap(&$0, &list) }
    }
}
