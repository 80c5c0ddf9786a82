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
    let file: BulkFileClaim?

    init(_ write: Write, expected: String?, file: BulkFileClaim?) {
        self.write = write
        self.expected = expected
        self.file = file
    }
}

extension Loop {
    /// Does a write.
    func perform(_ write: RealtimeWrite, for question: Question) throws(RealtimeRefusal) {
        let namespace = try namespace(of: question.session, creates: true)
        if write.write.addsData { try requireRoom() }
        if let expected = write.expected {
            compare(expected, write, in: namespace, for: question)
        } else {
            attempt(write, in: namespace, for: question)
        }
    }

    /// Goes on with a write when it is known whether what stands at its place has the hash that is expected.
    ///
    /// What is large is hashed by a worker. The write itself is done here, where it is known that the session
    /// has not ended.
    private func compare(
        _ hash: String, _ write: RealtimeWrite, in namespace: Namespace, for question: Question
    ) {
        guard let sight = namespace.newest() else { return refuse(question, .gone) }
        let place = sight.state.root.descendant(at: write.write.path)
        guard isLarge(place) else {
            return attempt(write, .listenHash(hash, lastSeen: place), in: namespace, for: question)
        }
        let (number, services) = (question.number, services)
        work(for: question.session) {
            WriteCondition.listenHash(hash, lastSeen: place)
        } _: { loop, session, condition in
            let question = Question(session: session, number: number)
            loop.attempt(write, condition, in: namespace, for: question)
            // What stood there may be held by nothing else any more, and is not freed here.
            services.free(sight)
        }
    }

    private func attempt(
        _ write: RealtimeWrite, _ condition: WriteCondition? = nil, in namespace: Namespace,
        for question: Question
    ) {
        let request = Namespace.Request(
            form: .write(write.write), asker: question.session.asker,
            file: write.file.map { ($0, .replace) }, condition: condition)
        do throws(WriteRefusal) {
            let written = try namespace.write(request, services: services, from: index)
            question.session.newestWrite = written.publication.position
            reply(question, .ok, until: written.publication.position)
        } catch {
            if case .unready = error { return performAgain(write, for: question) }
            let again = { @Sendable (loop: Loop, question: Question) in
                loop.performAgain(write, for: question)
            }
            if awaitRoom(after: error, for: question, again) { return }
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
        case .unready: preconditionFailure("what changed while it was hashed is hashed again")
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
