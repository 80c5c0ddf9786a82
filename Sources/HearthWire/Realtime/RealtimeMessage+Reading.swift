// From the text of a message to what it asks for. Pure, so that a worker can read large ones.
import HearthCore
import HearthJSON

extension RealtimeMessage {
    /// Reads a whole message.
    ///
    /// - Throws: `policyViolation` for what is no message at all. What is only wrong inside is an action that
    ///   is refused.
    /// - Complexity: O(n) in the bytes.
    public init(reading text: [UInt8]) throws(WebSocketError) {
        let result = text.withUnsafeBytes(Self.read)
        self = try result.get()
    }

    private static func read(_ buffer: UnsafeRawBufferPointer) -> Result<RealtimeMessage, WebSocketError> {
        do throws(JSONError) {
            let envelope = try RealtimeEnvelope(buffer)
            switch envelope.kind {
            case "d": return .success(.request(request(envelope)))
            case "c": return .success(control(envelope.command))
            default: return .failure(WebSocketError(.policyViolation, "a message has t c or d"))
            }
        } catch {
            return .failure(WebSocketError(.policyViolation, "a message is a JSON object"))
        }
    }

    private static func control(_ command: String?) -> RealtimeMessage {
        switch command {
        case "p": .ping
        case "a": .switched
        case "n": .ended
        default: .unknown
        }
    }

    private static func request(_ envelope: RealtimeEnvelope) -> RealtimeRequest {
        do throws(RealtimeRefusal) {
            return RealtimeRequest(number: envelope.number, action: try RealtimeAction(envelope))
        } catch {
            return RealtimeRequest(number: envelope.number, action: .refused(error))
        }
    }
}

extension RealtimeAction {
    fileprivate init(_ envelope: RealtimeEnvelope) throws(RealtimeRefusal) {
        switch envelope.action {
        case "q", "l": self = .listen(try envelope.question(), hash: envelope.value("h")?.jsonString ?? "")
        case "n", "u": self = .unlisten(try envelope.question())
        case "g": self = .get(try envelope.question())
        case "p": self = .write(try envelope.set(), expected: envelope.value("h")?.jsonString)
        case "m": self = .write(try envelope.update(), expected: envelope.value("h")?.jsonString)
        case "o": self = .writeOnDisconnect(try envelope.set())
        case "om": self = .writeOnDisconnect(try envelope.update())
        case "oc": self = .cancelOnDisconnect(try envelope.path())
        case "auth", "gauth": self = .authenticate(try envelope.credential())
        case "unauth": self = .unauthenticate
        case "appcheck", "unappcheck", "unappeck": self = .appCheck
        case "s": self = .stats
        default: throw RealtimeRefusal(.error, "Unknown action")
        }
    }
}

extension RealtimeEnvelope {
    /// The place that the body names.
    fileprivate func place() throws(RealtimeRefusal) -> RealtimePlace {
        guard let text = value("p")?.jsonString else {
            throw RealtimeRefusal(.invalidData, "Invalid request: p must be a path")
        }
        return try RealtimePlace(text)
    }

    /// The node that the body names.
    fileprivate func path() throws(RealtimeRefusal) -> Path {
        guard case .node(let path) = try place() else { throw .reservedPlace }
        return path
    }

    fileprivate func question() throws(RealtimeRefusal) -> RealtimeQuestion {
        let place = try place()
        if case .priority = place { throw .reservedPlace }
        // An empty query object says nothing, as none does.
        let query = value("q").flatMap { $0.count > 2 ? [UInt8]($0) : nil }
        return RealtimeQuestion(place: place, query: query, tag: value("t")?.jsonInteger)
    }

    fileprivate func set() throws(RealtimeRefusal) -> Write {
        switch try place() {
        case .node(let path): return .set(path, try draft(at: path))
        case .priority(let path):
            guard let priority = try draft(at: .root).priority else {
                throw RealtimeRefusal(
                    .invalidData, "Invalid data: a priority must be a number, a string or null")
            }
            return .prioritize(path, priority)
        case .connection: throw .reservedPlace
        }
    }

    fileprivate func update() throws(RealtimeRefusal) -> Write {
        let path = try path()
        guard let text = value("d") else { throw .noData }
        var reader = UpdateReader(at: path)
        do throws(DraftError) {
            guard let changes = try reader.read(text, isFinal: true) else {
                preconditionFailure("a final buffer ends with a value or an error")
            }
            return .update(path, changes)
        } catch {
            throw RealtimeRefusal(error)
        }
    }

    private func draft(at path: Path) throws(RealtimeRefusal) -> Draft {
        guard let text = value("d") else { throw .noData }
        var reader = DraftReader(at: path)
        do throws(DraftError) {
            guard let draft = try reader.read(text, isFinal: true) else {
                preconditionFailure("a final buffer ends with a value or an error")
            }
            return draft
        } catch {
            throw RealtimeRefusal(error)
        }
    }

    fileprivate func credential() throws(RealtimeRefusal) -> RealtimeCredential {
        guard let token = value("cred")?.jsonString else {
            throw RealtimeRefusal(.invalidToken, "cred must be a token")
        }
        if value("noauth")?.jsonBool == true {
            return RealtimeCredential(
                token: token, isUserToken: action == "auth", override: .unauthenticated)
        }
        return RealtimeCredential(
            token: token, isUserToken: action == "auth",
            override: value("authvar").map { .variable([UInt8]($0)) } ?? .none)
    }
}

extension RealtimeRefusal {
    /// What is wrong with a value. Where in its text, which an SDK has made, helps nobody.
    fileprivate init(_ error: DraftError) {
        switch error {
        case .json(let error): self.init(.invalidData, "Invalid data: \(error.reason)")
        case .refused(let reason, _): self.init(.invalidData, "Invalid data: \(reason)")
        }
    }

    fileprivate static let reservedPlace = Self(.invalidData, "Invalid path: names with a dot are reserved")
    fileprivate static let noData = Self(.invalidData, "Invalid request: d is missing")
}
