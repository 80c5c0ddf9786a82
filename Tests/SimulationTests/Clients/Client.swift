// What the simulation's clients have in common.
import HearthTesting
import HearthWire

/// What a client may look at and must report to.
protocol Surroundings: AnyObject {
    /// Connects; nil while there is no server.
    func connect() -> Line?
    /// Notes by which way a session goes; nothing that it leaves may be written before its end.
    func note(_ session: String, over line: any SessionLine)
    /// The time that only moves on, and after how much of it a silent client may be taken to be gone; in
    /// nanoseconds.
    var moment: Int64 { get }
    var patience: Int64 { get }
    /// Whether the journal may have had no room.
    var mayLackRoom: Bool { get }
    /// How far the journal is synced.
    var durable: Int64 { get }
    /// Changes or reads what is known of a namespace.
    func withChronicle<Result>(
        _ namespace: String, _ body: (inout Chronicle) throws(Violation) -> Result
    ) throws(Violation) -> Result
    /// Writes a line of what led to the present.
    func trace(_ line: @autoclosure () -> String)
}

/// A client on the simulated network.
protocol Client: AnyObject {
    var name: String { get }
    /// Does a little: takes what has come, says the next thing.
    func act(_ surroundings: any Surroundings) throws(Violation)
    /// Has nothing of its own to say from now on, but hears out what is owed.
    func calmDown()
    /// Whether nothing is owed to it.
    var isCalm: Bool { get }
}

/// The administrator's token in all simulations.
let administratorToken = "the-administrator-of-simulations"

/// Who a client is and what it looks at.
struct Identity {
    let name: String
    let namespace: String
    let isAdministrator: Bool

    var headers: [String] {
        isAdministrator ? ["Authorization: Bearer \(administratorToken)"] : []
    }

    /// The target for a path.
    func target(_ path: [String], _ parameters: String = "") -> String {
        "\(address(path)).json?ns=\(namespace)\(parameters)"
    }
}
