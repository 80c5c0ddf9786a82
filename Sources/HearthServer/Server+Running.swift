// A server as a process: signals tell it to stop or to look at its files again.
import Glibc

extension Server {
    /// Runs a server until the process is told to end by SIGTERM or SIGINT, and returns the exit status.
    ///
    /// The first signal stops gracefully, a second one ends the process at once. SIGHUP reads rules files and
    /// the certificate again. It must be called from the main thread before others are started, since signals
    /// are masked for all of them.
    ///
    /// - Parameter ready: called once when requests are answered, for the banner.
    /// - Throws: `StartFailure` with the reason why there is no server; the status to exit with is 1 then.
    public static func run(
        _ configuration: Configuration, ready: (Server) -> Void
    ) throws(StartFailure) -> Int32 {
        let signals = Signals()
        let server = try start(configuration)
        ready(server)
        let hasFiles = !configuration.rulesFiles.isEmpty || configuration.tls != nil
        while true {
            switch signals.wait(atMost: hasFiles ? .seconds(1) : nil) {
            case .nothing:
                server.readChangedRules()
                server.readChangedCertificate()
            case .reload:
                server.readRules()
                server.readCertificate()
            case .stop:
                server.stopAside(signals)
                return signals.waitForEnd()
            case .ended: return 0
            }
        }
    }

    /// Stops on a thread of its own, so that this one hears a second signal.
    private func stopAside(_ signals: Signals) {
        do throws(SystemFailure) {
            _ = try RunningThread.start("hearth-stop") {
                self.stop()
                signals.tellEnd()
            }
        } catch {
            stop()
            signals.tellEnd()
        }
    }
}

/// The signals that a server listens to. They are masked in all threads and waited for by one, so no code
/// ever runs inside a handler.
struct Signals: Sendable {
    enum Kind {
        case reload
        case stop
        /// None came in time.
        case nothing
        /// Sent by ourselves: the stop that was begun is done.
        case ended
    }

    private static let endSignal = SIGUSR2

    /// Masks the signals for this thread and those that it starts, and ignores those that a failing call
    /// tells of anyway.
    init() {
        signal(SIGPIPE, SIG_IGN)
        // A file that grows beyond the process's limit is a full disk to the server, not its end.
        signal(SIGXFSZ, SIG_IGN)
        var set = Signals.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Sleeps until one comes, or for some time; nil means for ever.
    func wait(atMost duration: Duration?) -> Kind {
        var set = Signals.set
        var patience = timespec(tv_sec: Int(duration?.components.seconds ?? 0), tv_nsec: 0)
        let number = duration == nil ? sigwaitinfo(&set, nil) : sigtimedwait(&set, nil, &patience)
        switch number {
        case SIGHUP: return .reload
        case Signals.endSignal: return .ended
        case SIGTERM, SIGINT: return .stop
        default: return .nothing
        }
    }

    /// After a stop was begun: returns 0 when it is done; a second signal ends the process here.
    func waitForEnd() -> Int32 {
        while true {
            switch wait(atMost: nil) {
            case .ended: return 0
            case .stop: _exit(130)
            case .reload, .nothing: break
            }
        }
    }

    /// Says that the stop is done.
    func tellEnd() {
        kill(getpid(), Signals.endSignal)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP, endSignal] { sigaddset(&set, number) }
        return set
    }
}
