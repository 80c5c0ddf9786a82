// One call from the moment it is understood to its answer, over the threads that it needs.
import HearthCore
import HearthCrypto
import HearthIdentity
import HearthStorage
import Synchronization

/// Decides a call on the newest accounts, writes, hashes and signs where that holds nobody up, and posts the
/// answer to the connection's loop.
///
///     loop ──decide──▶ needs a hash ──▶ hashing pool ──decide again──┐
///       ▲                                                           ▼
///       └──── answer ◀── worker signs ◀── loops forget tokens ◀── written
final class AccountJob: Sendable {
    /// What a connection is answered.
    enum Result: Sendable {
        /// JSON, a page or another address, with the signed token's fields in it.
        case answer(AccountOutcome.Answer)
        /// A text that is JSON already: published keys.
        case text([UInt8])
        case refused(AccountRefusal)
    }

    /// Called once, on any thread, with the result and the journal position that must be durable before it is
    /// told.
    typealias Finish = @Sendable (Result, Position) -> Void

    private let call: AccountCall
    private let settings: AccountSettings
    private let services: Services
    private let finish: Finish

    init(
        _ call: AccountCall, _ settings: AccountSettings, _ services: Services, finish: @escaping Finish
    ) {
        self.call = call
        self.settings = settings
        self.services = services
        self.finish = finish
    }

    private var accounts: AccountService { services.accounts }

    /// Begins. What is quick is done here and now.
    ///
    /// - Parameter loop: the loop that calls, nil on another thread.
    func start(from loop: Int?) {
        switch call.operation {
        case .publishedKeys: services.workers.run { [self] in publishKeys() }
        case .rotateKeys: services.workers.run { [self] in rotateKeys() }
        default: decide(PasswordFindings(), from: loop)
        }
    }

    private func decide(_ findings: PasswordFindings, from loop: Int?) {
        let namespace = services.namespaces.findOrCreateAccounts(services)
        do throws(WriteRefusal) {
            let (decision, position) = try namespace.transact(services, from: loop) { root, now, random in
                let decision = Accounts.decide(
                    self.call, in: root, settings: self.settings, findings: findings, now: now,
                    random: &random)
                guard case .answered(let outcome) = decision else { return ([], decision) }
                return (outcome.edits, decision)
            }
            switch decision {
            case .needs(let work): perform(work, findings)
            case .refused(let refusal): refuse(refusal, position)
            case .answered(let outcome): follow(outcome, position)
            }
        } catch {
            retry(after: error, findings)
        }
    }

    private func perform(_ work: PasswordWork, _ findings: PasswordFindings) {
        let cost = settings.passwordCost
        let isTaken = accounts.hashing.run { [self] isStopping in
            guard !isStopping else { return refuse(.unavailable("The server is stopping."), 0) }
            var findings = findings
            findings.perform(work, cost: cost)
            decide(findings, from: nil)
        }
        if !isTaken { refuse(.busy, 0) }
    }

    /// A write that found no room waits for the journal's next segment, unless the disk is known to be full.
    private func retry(after refusal: WriteRefusal, _ findings: PasswordFindings) {
        if case .failed(_, let byteCount) = refusal, let journal = services.vault?.journal,
            journal.shortage == nil
        {
            let workers = services.workers
            return journal.makeRoom(byteCount) { workers.run { [self] in decide(findings, from: nil) } }
        }
        refuse(.unavailable("The accounts cannot be written now; try again later."), 0)
    }

    private func refuse(_ refusal: AccountRefusal, _ position: Position) {
        accounts.note(call, refusal)
        if call.operation == .signInWithPassword || refusal.code == "TOO_MANY_ATTEMPTS_TRY_LATER" {
            services.log.info(
                "account call refused", ("operation", "\(call.operation)"), ("code", refusal.code),
                ("from", call.visitor))
        }
        finish(.refused(refusal), position)
    }
}

extension AccountJob {
    /// What follows from a call that was done: tokens die everywhere before anything is answered, then the
    /// new one is signed; mails go last.
    private func follow(_ outcome: AccountOutcome, _ position: Position) {
        accounts.note(call, nil)
        for event in outcome.events {
            services.log.info(
                "account", ("event", event.kind.rawValue), ("uid", event.localID ?? ""),
                ("from", call.visitor))
            if event.kind == .passwordReset { unlock(event.localID) }
        }
        guard !outcome.endedUsers.isEmpty else { return sign(outcome, position) }
        let countdown = Countdown(services.mailboxes.count) { [self] in sign(outcome, position) }
        for mailbox in services.mailboxes {
            mailbox.post(
                .perform { loop in
                    loop.endTokens(of: outcome.endedUsers)
                    countdown.step()
                })
        }
    }

    private func unlock(_ localID: String?) {
        guard let localID, let root = services.namespaces.accounts?.newest()?.state.root,
            let email = Accounts.email(of: localID, in: root)
        else { return }
        accounts.unlock(email)
    }

    private func sign(_ outcome: AccountOutcome, _ position: Position) {
        guard let plan = outcome.token else { return send(outcome, outcome.answer, position) }
        guard accounts.keys != nil else { return send(outcome, with: plan, .unsigned, position) }
        services.workers.run { [self] in
            do throws(StorageFailure) {
                guard let signer = try accounts.keys?.signer() else { return }
                send(outcome, with: plan, signer, position)
                accounts.keys?.rotateIfDue()
            } catch {
                services.log.error("signing key not made", ("reason", "\(error)"))
                finish(.refused(.unavailable("The token cannot be signed now; try again later.")), 0)
            }
        }
    }

    private func send(
        _ outcome: AccountOutcome, with plan: TokenPlan, _ signer: TokenSigner, _ position: Position
    ) {
        var answer = outcome.answer
        if case .json(let fields) = answer {
            let token = plan.fields(
                signed: signer.token(plan.payload), project: settings.project)
            answer = .json(fields.merging(token) { _, new in new })
        }
        send(outcome, answer, position)
    }

    private func send(_ outcome: AccountOutcome, _ answer: AccountOutcome.Answer, _ position: Position) {
        finish(.answer(answer), position)
        accounts.postbox.send(outcome.mails, at: position)
    }

    private func publishKeys() {
        do throws(StorageFailure) {
            let text = try accounts.keys?.published() ?? Array(#"{"keys":[]}"#.utf8)
            finish(.text(text), 0)
        } catch {
            finish(.refused(.unavailable("The keys cannot be made now; try again later.")), 0)
        }
    }

    private func rotateKeys() {
        do throws(StorageFailure) {
            try accounts.keys?.rotate()
            finish(.answer(.json([:])), 0)
        } catch {
            finish(.refused(.unavailable("The key cannot be kept now; try again later.")), 0)
        }
    }
}

/// Calls `done` when all of a number of steps are made, on the thread that makes the last.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, done: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.done = done
    }

    func step() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
