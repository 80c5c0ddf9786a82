// How far everything is durable, and telling the loops so.
import HearthStorage
import Synchronization

/// The journal position up to which everything is synced (or, with `--sync interval`, written).
///
/// A loop loads it before it drains its mailbox: whatever was posted for these positions is there by then.
final class DurableMark: Sendable {
    private let mark: Atomic<Int64>
    private let mailboxes: [Mailbox]

    /// - Parameter position: what is durable at the start; without files everything is, always.
    init(_ position: Position, mailboxes: [Mailbox]) {
        mark = Atomic(position)
        self.mailboxes = mailboxes
    }

    /// The newest durable position.
    var position: Position { mark.load(ordering: .acquiring) }

    /// Moves the mark and tells every loop.
    func move(to position: Position) {
        mark.store(position, ordering: .releasing)
        for mailbox in mailboxes { mailbox.post(.durable) }
    }
}
