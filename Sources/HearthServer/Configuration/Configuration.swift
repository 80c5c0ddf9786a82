// Everything that decides how a server behaves, in one value that the command makes and passes down.

import HearthStorage

/// How one server is to run: where it listens, what it keeps, whom it trusts and how much it takes on.
///
/// The defaults are a server for the programs of this machine with its data in `./hearth-data`. Nothing below
/// reads the environment or the command line again. `Server.start` checks the whole of it before it acts.
public struct Configuration: Sendable {
    /// Where commits are kept.
    public enum Storage: Sendable, Equatable {
        /// In files below this directory, which is made when it is missing. One process at a time may use it.
        case directory(String)
        /// Nowhere: everything is gone when the process ends, and no file is touched at all.
        case ephemeral
    }

    /// When an acknowledged write is on the disk.
    public enum Durability: Sendable, Equatable {
        /// Before it is acknowledged.
        case always
        /// At most this much later: a crash may lose what was acknowledged within it.
        case interval(Duration)
    }

    /// Where commits are kept; `./hearth-data` by default.
    public var storage = Storage.directory("hearth-data")
    /// When an acknowledged write is on the disk; before it is acknowledged by default.
    public var durability = Durability.always
    /// Where to listen, without repeats. Port 0 takes a free port, the same one for every address that
    /// asks so.
    public var addresses = [SocketAddress.loopback4(port: 9000), SocketAddress.loopback6(port: 9000)]
    /// With what TLS is spoken on `addresses`; nil means plain HTTP.
    public var tls: TLS?
    /// Where plain HTTP is spoken beside TLS, as `addresses`; only programs of this machine can reach them.
    public var plainAddresses: [SocketAddress] = []
    /// The proxies whose word is taken for whom they ask (`X-Forwarded-For`, `X-Forwarded-Proto`). What comes
    /// from their addresses never counts as coming from a program of this machine.
    public var proxies: [PeerAddress] = []
    /// Where clients reach the server, for links in mails and where their requests do not name it; nil for
    /// the first address that it listens on.
    public var publicURL: PublicURL?
    /// How many loops share the connections: 1 to 64; nil means one for each core of the machine.
    public var loopCount: Int?
    /// Whether `Bearer owner` is the administrator, unsigned tokens are taken and namespaces need no
    /// creation.
    public var isEmulator = false
    /// Whether an emulator may listen where other machines reach it: they could all do everything.
    public var allowsEmulatorBeyondLoopback = false
    /// Whose tokens users may show.
    public var tokens = Tokens()
    /// How users' accounts behave.
    public var accounts = Accounts()
    /// Names beyond the loopback ones that a request may carry as its `Host`, without a port.
    public var allowedHosts: [String] = []
    /// Origins beyond the loopback ones that pages may ask from, as `https://chat.example`.
    public var allowedOrigins: [String] = []
    /// Rules that come from files and cannot be changed by clients: namespace to the file's path.
    public var rulesFiles: [String: String] = [:]
    /// A directory whose files everybody may read, at the addresses that nothing else has; nil for none. It
    /// must not hold the data directory nor any secret, nor lie in the data directory.
    public var publicDirectory: String?
    /// The file that holds the administrator's token; nil means `admin-token` in the data directory.
    ///
    /// It is made with a fresh token and mode 0600 when it is missing.
    public var adminTokenFile: String?
    /// How much is kept of the past for streams that resume, in bytes of memory over all namespaces.
    public var historyByteLimit = 64 << 20
    /// How large the files of the journal are made, in bytes: 64 kB to 1 GB. A smaller one is quicker to make
    /// and to read at a start; a record that is larger gets a file of its own size.
    public var segmentBytes = 32 << 20
    /// After how many bytes of new journal a checkpoint is written: 64 kB to 1 TB. It bounds what a start has
    /// to replay.
    public var checkpointBytes = 64 << 20
    /// How much the server takes on at once.
    public var limits = Limits()
    /// How long it waits for others.
    public var timeouts = Timeouts()
    /// Where log lines go and which are left out.
    public var log = Log()

    /// Makes the default configuration.
    public init() {}

    /// The file that holds the administrator's token; nil for a server without files.
    public var tokenFile: String? {
        guard case .directory(let path) = storage else { return nil }
        return adminTokenFile ?? (path.hasSuffix("/") ? path : path + "/") + FileName.adminToken
    }
}
