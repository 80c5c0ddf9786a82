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
        let request = Namespace.Request(
            form: .write(write.write), asker: session.asker, file: write.file.map { ($0, .replace) })
        let (services, loop) = (services, index)
        guard let expected = write.expected else {
            return finish(write, namespace.attempt(request, services, from: loop), for: question)
        }
        // Comparing by hash takes as long as the value is large.
        let place = namespace.newest()?.state.root.descendant(at: write.write.path) ?? .empty
        guard isLarge(place) else {
            let result = namespace.attempt(request, expecting: expected, services, from: loop)
            return finish(write, result, for: question)
        }
        let number = question.number
        work(for: session) {
            namespace.attempt(request, expecting: expected, services, from: nil)
        } _: { loop, session, result in
            loop.finish(write, result, for: Question(session: session, number: number))
        }
    }

    private func finish(
        _ write: RealtimeWrite, _ result: Result<Written, WriteRefusal>, for question: Question
    ) {
        do throws(WriteRefusal) {
            let position = try result.get().publication.position
            question.session.newestWrite = position
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
        case .unready: preconditionFailure("what is compared by hash is hashed again until it is ready")
        case .denied(_, let position): reply(question, .permissionDenied, until: position)
        case .refused(.conditionFailed, let sight): reply(question, .dataStale, until: sight.position)
        case .refused(let reason, let sight):
            reply(question, .invalidData, RESTError(reason).text, until: sight.position)
        }
    }
}

extension Namespace {
    /// Does a write, if what stands at its place has the hash that the client expects.
    fileprivate func attempt(
        _ request: Request, expecting hash: String? = nil, _ services: Services, from loop: Int?
    ) -> Result<Written, WriteRefusal> {
        do throws(WriteRefusal) {
            guard let hash else { return .success(try write(request, services: services, from: loop)) }
            return .success(try write(request, expecting: hash, services: services, from: loop))
        } catch {
            return .failure(error)
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
