// The server as a whole, for the command that runs it and for tests that start it in their own process.
import Glibc
import HearthIdentity
import Synchronization

/// A running server: it answers from the moment it exists until `stop()` returns.
///
/// Everything it owns (sockets, threads, the data directory's lock) is released by `stop()`. It may be
/// used from any thread.
public final class Server: Sendable {
    /// Where it listens, with the ports that were really taken: speaking TLS if it has a certificate.
    public let addresses: [SocketAddress]
    /// Where a server with a certificate speaks plain HTTP.
    public let plainAddresses: [SocketAddress]

    /// The administrator's token of a server without files, to be shown once; nil where a file holds it.
    public let shownToken: String?
    /// The file that holds the administrator's token; nil for a server without files.
    public let tokenFile: String?

    let services: Services
    private let loops = Mutex<[RunningThread]>([])

    private init(_ doors: borrowing Doors, opened: OpenedServer) {
        addresses = doors.addresses
        plainAddresses = doors.plainAddresses
        services = opened.services
        shownToken = opened.shownToken
        tokenFile = opened.services.configuration.tokenFile
    }

    /// The project whose users' accounts it keeps; nil where the tokens of that project come from elsewhere.
    public var accountProject: String? {
        services.accounts.unavailable == nil ? services.accounts.settings.project : nil
    }

    /// How many connections can be open at once.
    public var connectionLimit: Int { services.connectionLimit }

    /// Checks `configuration`, recovers the data, opens the ports and begins to answer.
    ///
    /// - Parameters:
    ///   - clock: what tells the time; the machine's clocks but for simulations.
    ///   - memory: what tells how much memory is used; the process's own but for simulations.
    /// - Throws: `StartFailure` with the reason; nothing is left behind then.
    public static func start(
        _ configuration: Configuration, clock: any Clock = WallClock(),
        memory: any MemoryGauge = ProcessMemory()
    ) throws(StartFailure) -> Server {
        try configuration.check()
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let loopCount = configuration.loopCount ?? Int(max(1, min(64, cores)))
        var doors = try Doors(configuration, loopCount: loopCount)
        let opened = try open(
            configuration, on: Outside(clock: clock, memory: memory), loopCount: loopCount,
            addresses: doors.addresses)
        doors.warn(configuration)
        let server = Server(doors, opened: opened)
        do throws(StartFailure) {
            try server.services.rulesFiles.readAll(server.services)
        } catch {
            server.stop()
            throw error
        }
        // Whoever was connected to an earlier run is so no longer.
        server.services.runAllOnDisconnect()
        do throws(SystemFailure) {
            try server.startLoops(&doors, count: loopCount)
        } catch {
            server.stop()
            throw .system(error)
        }
        return server
    }

    /// Stops: takes no more connections, answers what was accepted, tells waiting streams, writes what
    /// sessions have left for their end, syncs, and returns when all threads have ended, at the latest a
    /// little after the configured bound. Further calls do nothing.
    public func stop() {
        for mailbox in services.mailboxes { mailbox.post(.stop) }
        let threads = loops.withLock { loops in
            defer { loops = [] }
            return loops
        }
        for thread in threads { thread.join() }
        if !threads.isEmpty { services.runAllOnDisconnect() }
        services.close()
    }

    private func startLoops(_ doors: inout Doors, count: Int) throws(SystemFailure) {
        for index in 0..<count {
            let sockets = doors.take(loop: index)
            let services = services
            let thread = try RunningThread.start("hearth-loop-\(index)") {
                Server.runLoop(index, services, sockets)
            }
            loops.withLock { $0.append(thread) }
        }
    }

    private static func runLoop(
        _ index: Int, _ services: Services, _ sockets: [ListeningSocket]
    ) {
        do throws(SystemFailure) {
            let poller = try EpollPoller()
            let loop = try Loop(
                index: index, services: services, poller: poller, listeners: sockets)
            loop.run()
        } catch {
            // The other loops share the port and would leave this one's connections unanswered.
            services.log.error("loop not started", ("reason", "\(error)"))
            fatalError("a loop could not be started: \(error)")
        }
    }
}
