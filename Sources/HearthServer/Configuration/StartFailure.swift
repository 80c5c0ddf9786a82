// Why a server could not start, for the person who started it.

/// What kept a server from starting. Nothing is left behind: no thread, no open socket, no lock.
public enum StartFailure: Error, Sendable, CustomStringConvertible {
    /// The configuration asks for something that cannot be or must not be.
    case configuration(String)
    /// An address cannot be listened on.
    case address(SocketAddress, reason: String)
    /// The data directory cannot be opened; the text names the file, the cause and what to do.
    case storage(String)
    /// The machine refuses something that every server needs.
    case system(SystemFailure)

    /// What happened, where, why and what to do.
    public var description: String {
        switch self {
        case .configuration(let text), .storage(let text): text
        case .address(let address, let reason): "cannot listen on \(address): \(reason)"
        case .system(let failure): "\(failure)"
        }
    }
}
