// What the writers, the follower and whoever kills the server know of each other.

/// The server that answers at present.
struct Present: Equatable, Sendable {
    /// How many there were before it that answered.
    var number: Int
    var port: UInt16
}

/// The state of a run.
struct Proceedings: Sendable {
    /// Nil while there is no server.
    var server: Present?
    var isOver = false
    /// Requests that were sent, and those that were answered.
    var begunCount = 0
    var acknowledgedCount = 0
    /// How often the data moved to another directory: cursors of before are void then.
    var restoreCount = 0
    /// The last server that answered the follower.
    var followedNumber = 0
    /// What must not be; it ends the run.
    var faults: [String] = []
    /// What the writers wrote down; complete when they have ended.
    var accounts: [Account] = []

    /// The server that comes after the one with this number; nil inside if there will be none.
    func server(after number: Int) -> Present?? {
        if isOver || !faults.isEmpty { return .some(nil) }
        guard let server, server.number > number else { return nil }
        return server
    }
}
