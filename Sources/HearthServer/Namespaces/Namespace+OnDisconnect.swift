// What sessions leave to be written when they end: recorded when it is set, run when it is time.
import HearthCore
import HearthEngine
import HearthRules
import HearthStorage
import Synchronization

/// What a session asks of what it leaves to be written.
struct OnDisconnectRequest: Sendable {
    let session: String
    /// In whose name it is judged, now and when it is run.
    let asker: Asker
    let change: OnDisconnectChange
}

extension Namespace {
    /// Adds to, cancels, or renames what a session leaves to be written.
    ///
    /// - Returns: the position that must be durable before the session may be told.
    func onDisconnect(
        _ request: OnDisconnectRequest, services: Services, from loop: Int?
    ) throws(WriteRefusal) -> Position {
        var wakes = Wakes()
        let now = services.clock.milliseconds
        let result = guarded.withLock { guarded in
            register(request, &guarded, now: now, services, &wakes)
        }
        wakes.ring(services, from: loop)
        return try result.get()
    }

    private func register(
        _ request: OnDisconnectRequest, _ guarded: inout Guarded, now: Int64, _ services: Services,
        _ wakes: inout Wakes
    ) -> Result<Position, WriteRefusal> {
        guard !guarded.isDeleted else { return .failure(.gone) }
        var judgement = WriteJudgement(request.asker)
        do throws(Refusal) {
            let prepared = try guarded.database.prepareOnDisconnect(
                request.change, of: request.session, by: &judgement, now: now)
            guard let prepared else { return .success(guarded.position) }
            let content = JournalRecord.Content.onDisconnect(
                session: request.session, writes: prepared.record)
            do throws(StorageFailure) {
                // What only takes away needs no promise of room.
                let mustReserve = prepared.record != nil
                if mustRecord(request.change) {
                    try append(content, mustReserve: mustReserve, &guarded, services, &wakes)
                }
            } catch {
                // A name that no longer holds must not be used, recorded or not.
                if case .rename = request.change { guarded.database.register(prepared) }
                return .failure(.failed(error, byteCount: prepared.record?.count ?? 0))
            }
            guarded.database.register(prepared)
            return .success(guarded.position)
        } catch {
            let sight = Namespace.newest(guarded)
            guard error == .permissionDenied else { return .failure(.refused(error, sight)) }
            noteDenial(of: request.change.path, isWrite: true, judgement.verdict?.denial, at: now)
            return .failure(.denied(nil, sight.position))
        }
    }

    /// Ends a session: what it left is written, in one commit, exactly once.
    ///
    /// If the journal has no room now, it is written as soon as there is some, or at the next start.
    ///
    /// - Returns: what was written; nil if nothing was.
    @discardableResult
    func runOnDisconnect(of session: String, services: Services, from loop: Int?) -> Publication? {
        var wakes = Wakes()
        var retired: [Retired] = []
        let now = services.clock.milliseconds
        let (ending, build) = guarded.withLock { guarded in
            defer { retired = guarded.database.takeRetired() }
            let ending = run(session, &guarded, now: now, services, &wakes)
            return (ending, guarded.database.beginIndexBuild())
        }
        wakes.ring(services, from: loop)
        if !retired.isEmpty { services.free(retired) }
        if let build { run(build, services) }
        switch ending {
        case .nothing: return nil
        case .written(let publication): return publication
        case .lacksRoom(let byteCount):
            awaitRoom(byteCount, services)
            return nil
        }
    }

    /// What came of the end of a session.
    private enum Ending {
        case nothing
        case written(Publication)
        /// The journal has no room for so many bytes.
        case lacksRoom(byteCount: Int)
    }

    /// Tries again when the journal's next segment is there, or a full disk has space again, unless a write
    /// finds room before.
    private func awaitRoom(_ byteCount: Int, _ services: Services) {
        guard let journal = services.vault?.journal else { return }
        let tryAgain = { @Sendable [self] in
            services.workers.run { self.runOverdue(services: services, from: nil) }
        }
        guard journal.shortage == nil else { return journal.awaitSpace(tryAgain) }
        journal.makeRoom(byteCount) { journal.awaitSpace(tryAgain) }
    }

    private func run(
        _ session: String, _ guarded: inout Guarded, now: Int64, _ services: Services, _ wakes: inout Wakes
    ) -> Ending {
        guard !guarded.isDeleted,
            let run = guarded.database.prepareOnDisconnectRun(of: session, now: now)
        else { return .nothing }
        if run.refusedCount > 0 {
            services.log.info(
                "on-disconnect writes refused", ("namespace", name), ("count", "\(run.refusedCount)"))
        }
        do throws(StorageFailure) {
            guard let proposal = run.proposal else {
                try append(
                    .onDisconnect(session: session, writes: nil), mustReserve: false, &guarded, services,
                    &wakes)
                guarded.database.finish(run)
                return .nothing
            }
            let position = try append(
                .commit(proposal.commit, session: recordedName(of: session)), mustReserve: true, &guarded,
                services, &wakes)
            guarded.marks.note(proposal.commit.revision, at: position)
            let publication = guarded.database.commit(proposal, endingSession: session, at: position)
            post(publication, services, &wakes)
            return .written(publication)
        } catch {
            guarded.database.postpone(run)
            let byteCount = run.proposal.map { encodedByteCount($0.commit, endingSession: session) }
            return .lacksRoom(byteCount: byteCount ?? 0)
        }
    }

    /// What a commit says of whose end it writes.
    private func recordedName(of session: String) -> String? {
        #if DEBUG
            if PlantedFault.isPlanted(.forgetsWhoseEndIsWritten) { return nil }
        #endif
        return session
    }

    /// Whether the journal is told of a change: of each one.
    private func mustRecord(_ change: OnDisconnectChange) -> Bool {
        #if DEBUG
            if case .cancel = change { return !PlantedFault.isPlanted(.recordsNoCancel) }
        #endif
        return true
    }

    private func encodedByteCount(_ commit: Commit, endingSession session: String) -> Int {
        EncodedRecord(JournalRecord(namespace: name, .commit(commit, session: session))).byteCount
    }

    /// Writes what is still owed of sessions that have ended; to be called when the journal has room again.
    func runOverdue(services: Services, from loop: Int?) {
        let sessions = guarded.withLock { $0.database.overdueSessions }
        for session in sessions { runOnDisconnect(of: session, services: services, from: loop) }
    }

    /// Ends all sessions that have left something: at the start those of an earlier run, at the stop those
    /// that are left.
    ///
    /// - Returns: how many there were.
    func runAllOnDisconnect(services: Services) -> Int {
        let sessions = guarded.withLock { guarded in
            guarded.isDeleted ? [] : guarded.database.sessionsWithOnDisconnect
        }
        for session in sessions { runOnDisconnect(of: session, services: services, from: nil) }
        return sessions.count
    }

    @discardableResult
    private func append(
        _ content: JournalRecord.Content, mustReserve: Bool, _ guarded: inout Guarded, _ services: Services,
        _ wakes: inout Wakes
    ) throws(StorageFailure) -> Position {
        let record =
            services.keepsRecords ? EncodedRecord(JournalRecord(namespace: name, content)) : nil
        if let record, mustReserve { try services.recorder.reserve(record.byteCount) }
        let position = services.recorder.append(record, isReserved: mustReserve)
        guarded.position = position
        wakes.journal = true
        return position
    }
}

extension OnDisconnectChange {
    /// The place that it names; the root if it names none.
    fileprivate var path: Path {
        switch self {
        case .add(.set(let path, _)), .add(.update(let path, _)), .add(.prioritize(let path, _)),
            .cancel(let path):
            path
        case .add(.rules), .rename: .root
        }
    }
}

extension Services {
    /// Ends all sessions of all namespaces that have left something to be written.
    func runAllOnDisconnect() {
        let count = namespaces.all.reduce(0) { $0 + $1.runAllOnDisconnect(services: self) }
        if count > 0 { log.info("on-disconnect writes were run", ("sessions", "\(count)")) }
    }
}
