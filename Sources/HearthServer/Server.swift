// The server as a whole, for the command that runs it and for tests that start it in their own process.
import Synchronization

/// A running server: it answers from the moment it exists until `stop()` returns.
///
/// Everything it owns (sockets, threads, the data directory's lock) is released by `stop()`. It may be used from
/// any thread.
public final class Server: Sendable {
    /// Where it listens, with the ports that were really taken.
    public let addresses: [SocketAddress]

    private let listener: Mutex<Bool> = Mutex(true)

    private init(addresses: [SocketAddress]) {
        self.addresses = addresses
    }

    /// Checks `configuration`, recovers the data, opens the ports and begins to answer.
    ///
    /// - Throws: `StartFailure` with the reason; nothing is left behind then.
    public static func start(_ configuration: Configuration) throws(StartFailure) -> Server {
        let listener = try Listener(configuration.addresses, loopCount: configuration.loopCount ?? 1)
        return Server(addresses: listener.addresses)
    }

    /// Stops: takes no more connections, answers what was accepted, tells waiting streams, syncs, and returns
    /// when all threads have ended, at the latest a little after the configured bound. Further calls do nothing.
    public func stop() {
    }

    /// Runs a server until the process is told to end by SIGTERM or SIGINT, and returns the exit status.
    ///
    /// The first signal stops gracefully, a second one ends the process at once. SIGHUP reads rules files again.
    /// It must be called from the main thread before others are started, since signals are masked for all of them.
    ///
    /// - Parameter ready: called once when requests are answered, for the banner.
    /// - Throws: `StartFailure` with the reason why there is no server; the status to exit with is 1 then.
    public static func run(_ configuration: Configuration, ready: (Server) -> Void) throws(StartFailure)
        -> Int32
    {
        let server = try start(configuration)
        ready(server)
        server.stop()
        return 0
    }
}
