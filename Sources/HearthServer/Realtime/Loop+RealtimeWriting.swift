// Put and merge: committed under the lock, replied to when durable and told.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

/// A write on its way, kept for when it must be tried again.
struct RealtimeWrite: Sendable {
    let write: Write
    /// The hash of what must stand there; nil for anything.
    let expected: String?
    let file: BulkReference?

    init(_ write: Write, expected: String?, file: BulkReference?) {
        self.write = write
        self.expected = expected
        self.file = file
    }
}

extension Loop {
    /// Does a write.
    func perform(_ write: RealtimeWrite, for question: Question) throws(RealtimeRefusal) {
        let session = question.session
        let namespace = try namespace(of: session, creates: true)
        if write.write.addsData { try requireRoom() }
        let condition = write.expected.map { hashCondition($0, at: write.write.path, of: namespace) }
        let request = Namespace.Request(
            form: .write(write.write), asker: session.asker, file: write.file.map { ($0, .replace) },
            condition: condition)
        do throws(WriteRefusal) {
            let written = try namespace.write(request, services: services, from: index)
            let position = written.publication.position
            session.newestWrite = position
            if let file = write.file { services.vault?.directory.noteRecorded(file, at: position) }
            reply(question, .ok, until: position)
        } catch {
            let again = { @Sendable (loop: Loop, question: Question) in
                loop.performAgain(write, for: question)
            }
            if awaitRoom(after: error, for: question, again) { return }
            if let file = write.file { services.abandon(file) }
            refuse(question, error)
        }
    }

    private func requireRoom() throws(RealtimeRefusal) {
        do throws(RESTError) {
            try services.memory.requireRoom()
        } catch {
            throw RealtimeRefusal(.unavailable, error.text)
        }
    }

    /// What stands there must have this hash. Of what is large it is found out before the lock is taken.
    private func hashCondition(_ expected: String, at path: Path, of namespace: Namespace) -> WriteCondition {
        let known = namespace.newest()?.state.root.descendant(at: path) ?? .empty
        guard known.weight > 1024 else { return WriteCondition { $0.matches(listenHash: expected) } }
        let isMet = known.matches(listenHash: expected)
        let tag = known.etag
        return WriteCondition { $0.etag == tag ? isMet : $0.matches(listenHash: expected) }
    }

    /// Waits for the journal's next segment if a write found no room and the disk is not known to be full.
    ///
    /// - Parameter again: tries it once more when there is more room or the disk is full.
    /// - Returns: whether that will be called.
    func awaitRoom(
        after refusal: WriteRefusal, for question: Question,
        _ again: @escaping @Sendable (Loop, Question) -> Void
    ) -> Bool {
        guard case .failed(_, let byteCount) = refusal, let journal = services.vault?.journal,
            journal.shortage == nil
        else { return false }
        question.session.isBlocked = true
        let (mailbox, id, number) = (mailbox, question.session.id, question.number)
        journal.makeRoom(byteCount) {
            mailbox.post(
                .perform { loop in
                    loop.resume(id) { again($0, Question(session: $1, number: number)) }
                })
        }
        return true
    }

    private func performAgain(_ write: RealtimeWrite, for question: Question) {
        do throws(RealtimeRefusal) {
            try perform(write, for: question)
        } catch {
            if let file = write.file { services.abandon(file) }
            reply(question, error, until: 0)
        }
    }

    /// Says why a write is not done; what was seen for that is told when it is durable.
    func refuse(_ question: Question, _ refusal: WriteRefusal) {
        switch refusal {
        case .gone:
            question.session.forgetNamespace()
            reply(question, .error, RESTError.unknownNamespace.text, until: 0)
        case .failed(let failure, _):
            reply(question, .unavailable, RESTError.noSpace(failure).text, until: 0)
        case .unready: preconditionFailure("hashes are made anew until they can be looked at")
        case .denied(_, let position): reply(question, .permissionDenied, until: position)
        case .refused(.conditionFailed, let sight): reply(question, .dataStale, until: sight.position)
        case .refused(let reason, let sight):
            reply(question, .invalidData, RESTError(reason).text, until: sight.position)
        }
    }
}

extension Write {
    /// The place that it names.
    var path: Path {
        switch self {
        case .set(let path, _), .update(let path, _), .prioritize(let path, _): path
        case .rules: .root
        }
    }

    /// Whether there may be more than before when it is done; false if it removes alone.
    fileprivate var addsData: Bool {
        switch self {
        case .set(_, let draft): draft.addsData
        case .update(_, let changes): changes.contains { $0.draft.addsData }
        case .prioritize(_, .known(.none)): false
        case .prioritize, .rules: true
        }
    }
}
