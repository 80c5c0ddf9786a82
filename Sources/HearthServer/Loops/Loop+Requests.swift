// What each request comes to: by its route, to whoever decides it.
import HearthCore
import HearthStorage
import HearthWire

extension Loop {
    /// Says where the body of a request goes, now that its head is known and its body still comes.
    ///
    /// A request that will be refused anyway has its body dropped; one that waits for permission to send
    /// it, and is refused, is answered at once and the connection ended.
    func prepare(_ upload: Upload, on connection: Connection) {
        do throws(RESTError) {
            try check(upload.head, upload.route)
            if upload.route == .file { try checkPublic(upload.head) }
            if case .files(let path) = upload.route { try beginFile(path, upload, on: connection) }
            if upload.route == .settings("import") { try beginImport(upload, on: connection) }
        } catch {
            upload.sink = .discard(error)
            if upload.head.expectsContinue {
                var reply = RESTReply(to: upload.head)
                reply.keepsAlive = false
                return respond(connection, until: 0) { reply.append(error, to: &$0) }
            }
        }
        guard upload.head.expectsContinue else { return }
        connection.outbox.append(until: 0, durable: durable) { output in
            output.append(contentsOf: HTTPResponseWriter.continueBytes)
        }
    }

    /// Decides a request whose body is complete.
    func act(_ head: HTTPRequestHead, _ route: Route, _ body: ArrivedBody, on connection: Connection) {
        do throws(RESTError) {
            if case .gathered(let upload) = body, case .discard(let error) = upload.sink { throw error }
            try check(head, route)
            try dispatch(head, route, body, on: connection)
        } catch {
            guard !route.isIdentity else { return refuseAccounts(error, head, on: connection) }
            refuse(connection, head, error)
        }
    }

    /// Whether a request may come from where it comes, whatever it asks.
    private func check(_ head: HTTPRequestHead, _ route: Route) throws(RESTError) {
        if isStopping { throw .stopping }
        guard services.configuration.isEmulator, route != .health else { return }
        try services.gate.check(head, hostMeaning(of: head))
    }

    /// Whether a request may use a namespace that is open: it has come from a program of this machine, and
    /// not through anybody's page.
    ///
    /// - Throws: 403 if not and the namespace is open, or could become so.
    func isLocal(
        _ head: HTTPRequestHead, _ host: HostMeaning, _ name: String, _ connection: Connection
    ) throws(RESTError) -> Bool {
        guard connection.isLocal else { return false }
        guard !services.configuration.isEmulator else { return true }
        do throws(RESTError) {
            try services.gate.check(head, host)
            return true
        } catch {
            guard services.namespaces.find(name)?.hasRules ?? false else { throw error }
            return false
        }
    }

    private func answerPreflight(
        _ head: HTTPRequestHead, _ route: Route, on connection: Connection
    ) throws(RESTError) {
        if route == .data {
            let parameters = try RESTParameters(head)
            let host = hostMeaning(of: head)
            let name = namespaceName(head, host, parameter: parameters[.namespace])
            _ = try isLocal(head, host, name, connection)
        }
        var reply = RESTReply(to: head)
        reply.keepsAlive = head.keepsAlive && !isStopping
        let isIdentity = route.isIdentity
        respond(connection, until: 0) {
            reply.appendPreflight(to: head, allowsPrivateNetwork: isIdentity, output: &$0)
        }
    }

    private func dispatch(
        _ head: HTTPRequestHead, _ route: Route, _ body: ArrivedBody, on connection: Connection
    ) throws(RESTError) {
        if head.method == .options { return try answerPreflight(head, route, on: connection) }
        let upload: Upload? = if case .gathered(let upload) = body { upload } else { nil }
        switch route {
        case .data: try actOnData(head, body, on: connection)
        case .health: try answerHealth(head, on: connection)
        case .webSocket: try openWebSocket(head, on: connection)
        case .realtimePoll: try answerPoll(head, on: connection)
        case .settings(let name): try actOnSettings(name, head, upload, on: connection)
        case .inspect(let name): try answerInspection(name, head, on: connection)
        case .files(let path): try actOnFile(path, head, upload, on: connection)
        case .file where greetsAsEmulator(head): actOnAccounts(head, upload, on: connection)
        case .file: try sendPublicFile(head, on: connection)
        case .account, .publishedKeys: actOnAccounts(head, upload, on: connection)
        default: throw .unknownAddress
        }
    }

    /// Answers a request that is not done.
    func refuse(_ connection: Connection, _ head: HTTPRequestHead, _ error: RESTError) {
        var reply = RESTReply(to: head)
        if isStopping { reply.keepsAlive = false }
        respond(connection, until: 0) { output in
            reply.append(error, retryAfterSeconds: error.status == 503 ? 1 : nil, to: &output)
        }
    }

    /// Writes an answer in its place and keeps it there until the journal has come to `position`.
    ///
    /// - Parameter write: appends the answer and returns whether the connection stays open after it.
    func respond(_ connection: Connection, until position: Position, _ write: (inout [UInt8]) -> Bool) {
        var keepsAlive = true
        connection.outbox.append(until: position, durable: durable) { keepsAlive = write(&$0) }
        hold(connection, until: position)
        if !keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }

    /// Finds out who asks for what, and in which namespace.
    ///
    /// - Throws: 400, 401, 404 and what else the request is not done for.
    func dataRequest(_ head: HTTPRequestHead, on connection: Connection) throws(RESTError) -> DataRequest {
        let changeCount = services.namespaces.changeCount
        if let request = repeatedRequest(head, changeCount, on: connection) { return request }
        connection.lastRequest = nil
        let call = try RESTCall(head)
        let host = hostMeaning(of: head)
        let name = namespaceName(head, host, parameter: call.namespace)
        let isLocal = try isLocal(head, host, name, connection)
        let caller = try services.access.standIn(
            caller(call.credential, isScript: call.form.callback != nil), for: call.authOverride)
        let namespace = try namespace(name, creates: call.action != .read, caller)
        let deadline = call.timeout.map { self.deadline(after: $0) }
        let request = DataRequest(head, call, caller, isLocal: isLocal, in: namespace, deadline: deadline)
        if request.mayBeRepeated(on: connection) {
            connection.lastRequest = LastRequest(request, changeCount, head)
            connection.parser.variation = call.cursorPlace
        }
        return request
    }

    /// Finds out who asks, by what the request brings to show it.
    func caller(_ credential: RESTCredential, isScript: Bool) throws(RESTError) -> Caller {
        if case .none = credential { return .anybody }
        return try services.access.caller(
            credential, isScript: isScript, cache: &tokens, now: services.clock.milliseconds,
            accepts: services.accepts)
    }

    /// Finds a namespace; the administrator, or with `--emulator` anybody, makes one by writing to it.
    func namespace(_ name: String, creates: Bool, _ caller: Caller) throws(RESTError) -> Namespace {
        if let namespace = knownNamespace(name) { return namespace }
        let isEmulator = services.configuration.isEmulator
        guard isEmulator || (creates && caller.isAdministrator) else {
            throw Namespaces.isName(name) ? .unknownNamespace : .badNamespaceName
        }
        return try services.namespaces.findOrCreate(name, services: services).0
    }
}
