// The server's certificate: read from its files at the start, and again when they change.
import HearthCrypto
import Synchronization

/// What new connections shake hands with. Connections that are open keep what they began with.
///
/// A leaf lock, taken once for each connection that comes.
final class Certificates: Sendable {
    /// How long the keys of tickets are used. Whoever steals them can read sessions of TLS 1.2 that went on
    /// by tickets of that time.
    static let ticketLifetime = Duration.seconds(24 * 3600)
    /// How long before its end a certificate is warned about.
    static let warningSeconds: Int64 = 7 * 86_400

    /// What marks the two files.
    private struct Marks: Equatable {
        let certificate: SmallFile.Mark?
        let key: SmallFile.Mark?
    }

    private struct State {
        var context: TLSServerContext
        /// What marked the files that were read last, whatever came of it.
        var read: Marks
        /// What marked them at the last look.
        var seen: Marks
        /// When the context was made, in monotonic nanoseconds.
        var made: Int64
    }

    private let files: Configuration.TLS
    private let clock: any Clock
    private let log: Log
    private let state: Mutex<State>

    /// Reads the files.
    ///
    /// - Throws: `StartFailure.configuration` with what to do.
    init(_ files: Configuration.TLS, clock: any Clock, log: Log) throws(StartFailure) {
        self.files = files
        self.clock = clock
        self.log = log
        let marks = Certificates.marks(of: files)
        let context = try Certificates.load(files)
        state = Mutex(
            State(context: context, read: marks, seen: marks, made: clock.monotonicNanoseconds))
        tell(context)
    }

    /// What a new connection shakes hands with.
    var context: TLSServerContext { state.withLock { $0.context } }

    /// Reads the files again if they are others than before and have not changed since the last look: while
    /// they are being replaced, certificate and key do not belong together. Files that cannot be used are
    /// reported, and the old certificate stays.
    ///
    /// - Parameter isDue: whether they are read at once, changed or not.
    func refresh(isDue: Bool) {
        let marks = Certificates.marks(of: files)
        let age = clock.monotonicNanoseconds
        let (isChanged, isOld) = state.withLock { state in
            let isStill = marks == state.seen
            state.seen = marks
            return (
                marks != state.read && isStill,
                age - state.made > Certificates.ticketLifetime.nanoseconds
            )
        }
        guard isDue || isChanged || isOld else { return }
        do throws(StartFailure) {
            let context = try Certificates.load(files)
            state.withLock { state in
                state.context = context
                state.made = age
                state.read = marks
            }
            log.info("certificate read", ("file", files.certificateFile))
            tell(context)
        } catch {
            state.withLock { state in
                state.read = marks
                state.made = age
            }
            log.error("certificate not read, the old one stays", ("reason", "\(error)"))
        }
    }

    /// Warns about a certificate that clients refuse, or will soon.
    private func tell(_ context: TLSServerContext) {
        let now = clock.milliseconds / 1000
        let from = ("from", Log.timestamp(context.validity.lowerBound * 1000))
        let until = ("until", Log.timestamp(context.validity.upperBound * 1000))
        let file = files.certificateFile
        if now > context.validity.upperBound {
            log.warning(
                "the certificate has expired and clients refuse it; renew it, it is read again by itself",
                ("file", file), ("until", until.1))
        } else if now < context.validity.lowerBound {
            log.warning(
                "the certificate is not valid yet and clients refuse it; is the clock right?",
                ("file", file), ("from", from.1))
        } else if context.validity.upperBound - now < Certificates.warningSeconds {
            log.warning("the certificate expires soon; renew it", ("file", file), ("until", until.1))
        }
    }

    private static func marks(of files: Configuration.TLS) -> Marks {
        Marks(certificate: SmallFile.mark(files.certificateFile), key: SmallFile.mark(files.keyFile))
    }

    private static func load(_ files: Configuration.TLS) throws(StartFailure) -> TLSServerContext {
        let chain = try read(files.certificateFile, "--tls-cert")
        let key = try read(files.keyFile, "--tls-key")
        do throws(TLSIdentityFault) {
            return try TLSServerContext(chain: chain, key: key)
        } catch {
            let place =
                switch error.isOfKey {
                case true?: "--tls-key \(files.keyFile)"
                case false?: "--tls-cert \(files.certificateFile)"
                case nil: "--tls-cert \(files.certificateFile) with --tls-key \(files.keyFile)"
                }
            throw .configuration("\(place): \(error)")
        }
    }

    private static func read(_ path: String, _ option: String) throws(StartFailure) -> [UInt8] {
        do throws(StartFailure) {
            return try SmallFile.read(path)
        } catch {
            throw .configuration("\(option): \(error)")
        }
    }
}

extension Server {
    /// Reads the certificate again if its files were changed.
    func readChangedCertificate() {
        services.certificates?.refresh(isDue: false)
    }

    /// Reads the certificate again.
    func readCertificate() {
        services.certificates?.refresh(isDue: true)
    }
}
