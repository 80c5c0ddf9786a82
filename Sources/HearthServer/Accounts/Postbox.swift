// Mails on their way: written to a folder, and handed to a command if there is one.
import HearthCrypto
import HearthIdentity
import HearthStorage
import Synchronization

/// Writes each mail as a file of its own below `outbox` in the data directory, whole or not at all. With a
/// command each file is given to it, and removed once the command has taken it; what fails is tried again
/// later, also after a restart.
///
/// One thread does all of it, so that how long it takes tells nobody anything. Codes are in the files (0600)
/// alone, never in the log.
final class Postbox: Sendable {
    /// How often a mail is given to the command before it is left in the folder.
    private static let attemptLimit = 8
    /// The end of the names of complete mails.
    private static let suffix = ".eml"
    /// How long the thread waits before it looks again whether the journal has come far enough.
    private static let patience: Int64 = 2_000_000

    private struct Order {
        let mail: MailOrder
        let position: Position
    }

    /// A mail in the folder that the command has not taken yet.
    private struct Waiting {
        let name: String
        let attempt: Int
        let due: Int64
    }

    private struct State {
        var orders: [Order] = []
        var waiting: [Waiting] = []
        var isStopping = false
    }

    private let disk: (any Disk)?
    private let command: MailCommand?
    private let sender: String
    private let appName: String
    private let templates: MailTemplates
    private let log: Log
    private let clock: any Clock
    private let durable: DurableMark
    private let isEmulator: Bool
    private let bell: Bell
    private let state = Mutex(State())
    private let thread = Mutex<RunningThread?>(nil)

    /// - Throws: `StartFailure` for templates that cannot be read.
    init(
        _ configuration: Configuration, appName: String, _ surroundings: Identity.Surroundings
    ) throws(StartFailure) {
        disk = surroundings.disk(configuration, below: FileName.outbox)
        command =
            configuration.accounts.mailCommand.isEmpty
            ? nil : MailCommand(configuration.accounts.mailCommand)
        sender = configuration.accounts.mailSender
        self.appName = appName
        templates = try MailTemplates(directory: configuration.accounts.mailTemplates)
        log = configuration.log
        clock = surroundings.outside.clock
        durable = surroundings.durable
        isEmulator = configuration.isEmulator
        do throws(SystemFailure) {
            bell = try Bell(blocking: true)
            if command != nil { try start(waiting: leftover()) }
        } catch {
            throw .system(error)
        }
    }

    /// Has mails sent once what they are about is durable at `position`. Returns at once.
    func send(_ mails: [MailOrder], at position: Position) {
        guard !mails.isEmpty else { return }
        guard !isEmulator else {
            // An emulator lists its codes to everybody; a line in the log saves its users looking there.
            for mail in mails {
                log.info("link made", ("kind", mail.kind.rawValue), ("link", mail.link ?? ""))
            }
            return
        }
        state.withLock { state in
            state.orders += mails.map { Order(mail: $0, position: position) }
        }
        do throws(SystemFailure) {
            try start(waiting: [])
            bell.ring()
        } catch {
            log.error("mail not sent", ("reason", "\(error)"))
        }
    }

    /// Ends the thread once what was ordered is written; what the command has not taken stays in the folder.
    func stop() {
        state.withLock { $0.isStopping = true }
        bell.ring()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }

    private func start(waiting: [Waiting]) throws(SystemFailure) {
        try thread.withLock { thread throws(SystemFailure) in
            guard thread == nil, !state.withLock({ $0.isStopping }) else { return }
            state.withLock { $0.waiting += waiting }
            thread = try RunningThread.start("hearth-mail") { [self] in run() }
        }
    }

    /// What an earlier process has left.
    private func leftover() -> [Waiting] {
        guard let disk else { return [] }
        do throws(StorageFailure) {
            try disk.makeDirectory()
            return try disk.list().filter { $0.hasSuffix(Postbox.suffix) }.sorted()
                .map { Waiting(name: $0, attempt: 0, due: 0) }
        } catch {
            log.warning("the outbox cannot be read", ("reason", "\(error)"))
            return []
        }
    }
}

extension Postbox {
    private enum Next {
        case order(MailOrder)
        case retry(Waiting)
        case wait(Int64?)
        case end
    }

    private func run() {
        while true {
            switch next() {
            case .order(let mail): write(mail)
            case .retry(let waiting): deliver(waiting)
            case .wait(let nanoseconds): bell.listen(atMostNanoseconds: nanoseconds)
            case .end: return
            }
        }
    }

    private func next() -> Next {
        let now = clock.monotonicNanoseconds
        let reached = durable.position
        return state.withLock { state in
            // A mail must not tell of a code that a crash takes back.
            if let index = state.orders.firstIndex(where: { $0.position <= reached }) {
                return .order(state.orders.remove(at: index).mail)
            }
            guard !state.isStopping else { return .end }
            if let index = state.waiting.firstIndex(where: { $0.due <= now }) {
                return .retry(state.waiting.remove(at: index))
            }
            guard state.orders.isEmpty else { return .wait(Postbox.patience) }
            return .wait(state.waiting.map(\.due).min().map { $0 - now })
        }
    }

    private func write(_ mail: MailOrder) {
        let now = clock.milliseconds
        let random = Base64.url.encode(SecureRandom.bytes(12)).filter { $0.isLetter || $0.isNumber }
        let envelope = MailOrder.Envelope(
            sender: sender, appName: appName, now: now, identifier: "\(now).\(random)")
        guard let message = mail.message(templates.template(mail.kind, mail.language), envelope) else {
            return log.warning("mail not written", ("reason", "an address has characters that none has"))
        }
        guard let disk else { return handOver(message) }
        let name = "\(now)-\(random)\(Postbox.suffix)"
        do throws(StorageFailure) {
            try disk.makeDirectory()
            try disk.replace(name, with: message)
            log.info("mail written", ("kind", mail.kind.rawValue), ("file", disk.path(of: name)))
        } catch {
            return log.error("mail not written", ("reason", "\(error)"))
        }
        if command != nil { deliver(Waiting(name: name, attempt: 0, due: 0)) }
    }

    /// Without files there is nothing to try again with.
    private func handOver(_ message: [UInt8]) {
        guard let command else {
            return log.warning(
                "mail not sent", ("reason", "a server without files needs --mail-command to send any"))
        }
        if let reason = command.run(message) {
            log.error("mail not handed over", ("reason", reason))
        }
    }

    private func deliver(_ waiting: Waiting) {
        guard let disk, let command, let message = read(waiting.name, disk) else { return }
        guard let reason = command.run(message) else {
            log.info("mail handed over", ("mail", waiting.name))
            return remove(waiting.name, disk)
        }
        log.warning("mail not handed over", ("mail", waiting.name), ("reason", reason))
        guard waiting.attempt + 1 < Postbox.attemptLimit else { return }
        let delay = Int64(10_000_000_000) << Int64(min(waiting.attempt, 6))
        let again = Waiting(
            name: waiting.name, attempt: waiting.attempt + 1, due: clock.monotonicNanoseconds + delay)
        state.withLock { $0.waiting.append(again) }
    }

    private func read(_ name: String, _ disk: any Disk) -> [UInt8]? {
        do throws(StorageFailure) {
            return try disk.contents(of: name)
        } catch {
            log.warning("mail not handed over", ("mail", name), ("reason", "\(error)"))
            return nil
        }
    }

    private func remove(_ name: String, _ disk: any Disk) {
        do throws(StorageFailure) {
            try disk.remove(name)
        } catch {
            log.warning("a mail that was handed over stays in the outbox", ("reason", "\(error)"))
        }
    }
}
