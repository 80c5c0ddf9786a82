// One of the sockets on which a loop's connections come.

/// A listening socket: where it can be reached from, and what is spoken on it.
struct ListeningSocket: Sendable {
    let number: Int32
    /// Whether only programs of this machine can reach it.
    let isLocal: Bool
    /// Whether its connections begin with a TLS handshake.
    let isSecure: Bool
}
