// What other threads tell a loop.

import HearthEngine

/// A message to a loop.
enum LoopMessage: Sendable {
    /// The journal has synced more; how far stands in `Services.durable`.
    case durable
    /// A worker has finished something that a connection waits for; dropped when the connection is gone.
    case resume(PollToken, @Sendable (Loop, Connection) -> Void)
    /// A commit that touches views which this loop has subscribers of, in the namespace of that number.
    case published(Int, Publication)
    /// Something for the loop itself.
    case perform(@Sendable (Loop) -> Void)
    /// Take no more connections, finish what was accepted, then end.
    case stop
}
