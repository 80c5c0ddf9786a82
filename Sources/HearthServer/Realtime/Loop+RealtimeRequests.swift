// What each message of a client comes to.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

extension Loop {
    /// Takes a whole message; a large one is read by a worker.
    ///
    /// - Throws: for what is no message.
    func take(_ text: [UInt8], of session: Session) throws(WebSocketError) {
        guard text.count > services.configuration.limits.inlineBytes else {
            return act(try RealtimeMessage(reading: text), of: session)
        }
        let services = services
        work(for: session) {
            LargeMessage.read(text, services)
        } _: { loop, session, result in
            do throws(WebSocketError) {
                let message = try result.get()
                loop.act(message.message, file: message.file, of: session)
            } catch {
                loop.fail(session, error)
            }
        }
    }

    private func act(_ message: RealtimeMessage, file: BulkFileClaim? = nil, of session: Session) {
        switch message {
        case .request(let request):
            services.metrics.requests.add()
            act(Question(session: session, number: request.number), request.action, file)
        case .ping: pong(session)
        case .ended: noteEnd(of: session)
        case .switched, .unknown: break
        }
    }

    /// Answers a client's ping at once, whatever else is owed.
    private func pong(_ session: Session) {
        switch session.link {
        case .webSocket(let connection):
            connection.outbox.append(shared: Packet(RealtimeText.pong).frames(nil))
            markDirty(connection)
        case .poll(let link):
            link.append(Packet(RealtimeText.pong))
            markDirty(session)
        case .none: break
        }
    }

    private func act(_ question: Question, _ action: RealtimeAction, _ file: BulkFileClaim?) {
        do throws(RealtimeRefusal) {
            switch action {
            case .listen(let place, let hash): try listen(to: place, hash: hash, for: question)
            case .unlisten(let place): unlisten(from: place, for: question)
            case .get(let place): try get(place, for: question)
            case .write(let write, let expected):
                try perform(RealtimeWrite(write, expected: expected, file: file), for: question)
            case .authenticate(let credential): signIn(credential, for: question)
            case .unauthenticate: signOut(question)
            case .appCheck, .stats: reply(question, .ok, until: 0)
            case .writeOnDisconnect(let write): try keep(.add(write), for: question)
            case .cancelOnDisconnect(let path): try keep(.cancel(path), for: question)
            case .refused(let refusal): throw refusal
            }
        } catch {
            reply(question, error, until: 0)
        }
    }

    /// Owes a reply without data.
    func reply(
        _ question: Question, _ status: RealtimeStatus, _ text: String = "", until position: Position
    ) {
        guard let number = question.number else { return }
        reply(question.session, until: position) {
            RealtimeText.appendReply(to: number, status, text, to: &$0)
        }
    }

    func reply(_ question: Question, _ refusal: RealtimeRefusal, until position: Position) {
        reply(question, refusal.status, refusal.text, until: position)
    }

    /// The database of a session.
    ///
    /// - Parameter creates: whether it may be made, if there is none and the client may do that.
    /// - Throws: where there is none.
    func namespace(of session: Session, creates: Bool) throws(RealtimeRefusal) -> Namespace {
        if let known = session.namespace(in: services.namespaces) { return known }
        do throws(RESTError) {
            return try namespace(session.namespaceName, creates: creates, session.caller)
        } catch {
            throw RealtimeRefusal(.error, error.text)
        }
    }

    func isLarge(_ node: Node) -> Bool {
        node.weight > services.configuration.limits.inlineBytes
    }
}

/// A request that is to be answered.
struct Question {
    let session: Session
    /// What the reply carries; nil if the client waits for none.
    let number: Int64?
}

/// A message that a worker has read.
private struct LargeMessage: Sendable {
    let message: RealtimeMessage
    /// The file that holds the value, if it is too large for the journal.
    let file: BulkFileClaim?

    static func read(_ text: [UInt8], _ services: Services) -> Result<LargeMessage, WebSocketError> {
        do throws(WebSocketError) {
            let message = try RealtimeMessage(reading: text)
            guard case .request(let request) = message,
                case .write(.set(_, let draft), expected: _) = request.action, draft.placeholders.isEmpty
            else { return .success(LargeMessage(message: message, file: nil)) }
            do throws(RESTError) {
                let file = try LargeWrite.keep(draft.node, services)
                return .success(LargeMessage(message: message, file: file))
            } catch {
                let refusal = RealtimeRefusal(.unavailable, error.text)
                let refused = RealtimeRequest(number: request.number, action: .refused(refusal))
                return .success(LargeMessage(message: .request(refused), file: nil))
            }
        } catch {
            return .failure(error)
        }
    }
}
