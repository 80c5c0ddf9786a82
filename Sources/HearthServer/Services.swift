// What all loops of one server share.
import Glibc
import HearthEngine
import HearthStorage
import HearthWire
import Synchronization

/// Everything that several threads of one server use; each part is safe to use from any of them.
final class Services: Sendable {
    let configuration: Configuration
    let outside: Outside
    let clock: any Clock
    let log: Log
    let metrics: Metrics
    let workers: Workers
    /// For reading and writing files of visitors and of the public directory: a page must not wait for a
    /// checkpoint.
    let fileWorkers: Workers
    /// The files that everybody may read; nil if there are none.
    let publicDirectory: PublicDirectory?
    /// Whether there is memory for more data.
    let memory: MemoryBound
    let mailboxes: [Mailbox]
    let bodyBudget: BodyBudget
    let httpLimits: HTTPLimits
    /// How many connections may be open at once.
    let connectionLimit: Int
    /// How many connections each address has.
    let visitors: Visitors
    let durable: DurableMark
    let recorder: Recorder
    let namespaces: Namespaces
    /// Which loop each client of the realtime protocol belongs to.
    let sessions: Sessions
    let gate: Gate
    let forwarding: Forwarding
    let access: Access
    /// What TLS is spoken with; nil where none is.
    let certificates: Certificates?
    let rulesFiles: RulesFiles
    let accounts: AccountService
    /// The files that visitors have uploaded.
    let files: FileStore
    /// What only a server with files has.
    let vault: Vault?
    private let isClosed = Atomic(false)

    /// The parts that are made before the rest.
    struct Parts {
        let configuration: Configuration
        let outside: Outside
        let metrics: Metrics
        let workers: Workers
        let fileWorkers: Workers
        let publicDirectory: PublicDirectory?
        let memory: MemoryBound
        let mailboxes: [Mailbox]
        let durable: DurableMark
        let recorder: Recorder
        let namespaces: Namespaces
        let access: Access
        let accounts: AccountService
        let certificates: Certificates?
        let files: FileStore
        let vault: Vault?
    }

    init(_ parts: Parts) {
        configuration = parts.configuration
        outside = parts.outside
        clock = parts.outside.clock
        log = configuration.log
        metrics = parts.metrics
        workers = parts.workers
        fileWorkers = parts.fileWorkers
        publicDirectory = parts.publicDirectory
        memory = parts.memory
        mailboxes = parts.mailboxes
        durable = parts.durable
        recorder = parts.recorder
        namespaces = parts.namespaces
        sessions = Sessions(random: parts.outside.randomness())
        access = parts.access
        accounts = parts.accounts
        certificates = parts.certificates
        files = parts.files
        vault = parts.vault
        bodyBudget = BodyBudget(limit: configuration.limits.bufferedBodyBytes)
        visitors = Visitors(limit: configuration.limits.connectionsPerAddress)
        gate = Gate(configuration)
        forwarding = Forwarding(configuration.proxies)
        rulesFiles = RulesFiles(configuration.rulesFiles)
        var limits = HTTPLimits()
        limits.headBytes = configuration.limits.headBytes
        limits.targetBytes = min(limits.targetBytes, limits.headBytes)
        httpLimits = limits
        let possible = max(16, Descriptors.raiseLimit() - Descriptors.reserved)
        connectionLimit = min(configuration.limits.connections ?? possible, possible)
    }

    /// Whether records are kept at all.
    var keepsRecords: Bool { recorder.keepsRecords }

    /// What each namespace may keep of its past: the process's share, divided by their number.
    var databaseLimits: Database.Limits {
        Database.Limits(historyByteCount: configuration.historyByteLimit / max(1, namespaces.count))
    }

    /// Has large things freed by a worker.
    func free(_ things: [Retired]) {
        workers.run { withExtendedLifetime(things) {} }
    }

    /// Has a state freed by a worker, if it may have become large garbage meanwhile.
    func free(_ sight: Sight) {
        workers.run { withExtendedLifetime(sight) {} }
    }

    /// Ends the process after a failure of the disk that leaves its content unknown.
    func end(after failure: StorageFailure) {
        outside.end(failure, log)
    }

    /// What a client is told when its value cannot be written: that there is no space. After any other
    /// failure the process ends.
    func refusal(after failure: StorageFailure) -> RESTError {
        if !failure.isNoSpace { end(after: failure) }
        return .noSpace(failure)
    }

    /// Ends the threads beside the loops, which must have ended, and gives the data directory back. Once.
    func close() {
        guard isClosed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            return
        }
        fileWorkers.stop()
        accounts.stop()
        workers.stop()
        vault?.stop(self)
    }
}
