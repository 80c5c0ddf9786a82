// The administrator's addresses below `/.settings`.
import HearthCore
import HearthEngine
import HearthJSON
import HearthRules
import HearthStorage
import HearthWire

extension Loop {
    /// Decides a request to `/.settings/NAME`.
    ///
    /// - Parameter upload: the body; nil if there is none.
    func actOnSettings(
        _ name: String, _ head: HTTPRequestHead, _ upload: Upload?, on connection: Connection
    ) throws(RESTError) {
        let request = try adminRequest(head)
        switch name {
        case "rules": try actOnRules(request, upload, on: connection)
        case "import": try finishImport(request, upload, on: connection)
        case "namespaces": try actOnNamespaces(request, on: connection)
        case "purge": try purge(request, on: connection)
        case "backup": try backUp(request, on: connection)
        default: throw .unknownAddress
        }
    }

    /// Finds out whether the administrator asks.
    func adminRequest(_ head: HTTPRequestHead) throws(RESTError) -> AdminRequest {
        let parameters = try RESTParameters(head)
        let credential = try RESTCredential(head, parameters)
        guard try caller(credential, isScript: false).isAdministrator else { throw .permissionDenied }
        let name = namespaceName(head, hostMeaning(of: head), parameter: parameters[.namespace])
        var reply = RESTReply(to: head)
        if isStopping { reply.keepsAlive = false }
        return AdminRequest(method: head.method, parameters: parameters, namespaceName: name, reply: reply)
    }

    // MARK: Rules

    private func actOnRules(
        _ request: AdminRequest, _ upload: Upload?, on connection: Connection
    ) throws(RESTError) {
        switch request.method {
        case .get, .head: try readRules(request, on: connection)
        case .put: try writeRules(request, upload?.takeBody().bytes ?? [], on: connection)
        default: throw .badMethod
        }
    }

    private func readRules(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        let namespace = try namespace(request.namespaceName, creates: false, .administrator)
        guard let sight = namespace.look(services, newestOwn: connection.newestWrite) else {
            throw .unknownNamespace
        }
        let stored = sight.state.rules?.text ?? RulesText.none
        let text = request.parameters[.format] == "strict" ? RulesText.strict(stored) : stored
        let reply = request.reply
        respond(connection, until: sight.position) { reply.append(json: text, to: &$0) }
    }

    private func writeRules(
        _ request: AdminRequest, _ text: [UInt8], on connection: Connection
    ) throws(RESTError) {
        guard !text.isEmpty else { throw .noData }
        if let file = services.configuration.rulesFiles[request.namespaceName] {
            throw RESTError(status: 409, text: "The rules of this database come from the file \(file).")
        }
        let reply = request.reply
        let rules: RuleSet
        do throws(RuleError) {
            rules = try RuleSet(reading: text)
        } catch {
            throw RESTError(Refusal.invalidRules(error.description))
        }
        if request.parameters.isTrue(.dryRun) {
            return respond(connection, until: 0) { reply.append(json: RulesText.ok, to: &$0) }
        }
        let namespace = try namespace(request.namespaceName, creates: true, .administrator)
        let written = try write(Namespace.Request(form: .rules(rules)), to: namespace)
        connection.newestWrite = written.publication.position
        respond(connection, until: written.publication.position) { reply.append(json: RulesText.ok, to: &$0) }
    }

    private func write(_ request: Namespace.Request, to namespace: Namespace) throws(RESTError) -> Written {
        do throws(WriteRefusal) {
            return try namespace.write(request, services: services, from: index)
        } catch {
            throw error.answer
        }
    }

    // MARK: Namespaces

    private func actOnNamespaces(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        switch request.method {
        case .get, .head:
            let json = NamespaceList.json(services.namespaces.all)
            let reply = request.reply
            respond(connection, until: 0) { reply.append(json: json, to: &$0) }
        case .put, .post: try createNamespace(request, on: connection)
        case .delete: try deleteNamespace(request, on: connection)
        default: throw .badMethod
        }
    }

    private func createNamespace(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        let name = try request.givenNamespace()
        let made = try services.namespaces.findOrCreate(name, services: services)
        let json = NamespaceList.json([made.0])
        let reply = request.reply
        respond(connection, until: keptPosition(services.recorder.last)) {
            reply.append(json: json, to: &$0)
        }
    }

    private func deleteNamespace(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        let name = try request.givenNamespace()
        guard name != "default" else {
            throw RESTError(
                status: 400, text: "The database 'default' always exists; remove its data instead.")
        }
        guard let position = services.namespaces.delete(name, services: services) else {
            throw .unknownNamespace
        }
        let reply = request.reply
        let (files, log, kept) = (services.files, services.log, keptPosition(position))
        runFileWork(connection) {
            do throws(StorageFailure) {
                try files.removeAll(of: name)
                return .success(())
            } catch {
                log.error("files of a deleted database stay", ("reason", "\(error)"))
                return .failure(.unreadableFile)
            }
        } then: { loop, connection, _ in
            loop.respond(connection, until: kept) { reply.append(json: Array("null".utf8), to: &$0) }
        } refused: { loop, connection, error in
            loop.respond(connection, until: kept) { reply.append(error, retryAfterSeconds: 1, to: &$0) }
        }
    }

    /// A position to wait for: none without files.
    func keptPosition(_ position: Position) -> Position {
        services.keepsRecords ? position : 0
    }

    // MARK: Purge

    /// Drops the past: a checkpoint now, then history and old segments.
    private func purge(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        guard request.method == .post || request.method == .put else { throw .badMethod }
        connection.incoming = .blocked
        let token = connection.token
        let mailbox = mailbox
        let services = services
        let reply = request.reply
        services.workers.run {
            let failure = Purge.run(services)
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    loop.respond(connection, until: 0) { output in
                        guard let failure else { return reply.append(json: RulesText.ok, to: &output) }
                        return reply.append(RESTError.noSpace(failure), to: &output)
                    }
                })
        }
    }
}

/// A request of the administrator.
struct AdminRequest: Sendable {
    let method: HTTPMethod
    let parameters: RESTParameters
    let namespaceName: String
    let reply: RESTReply

    /// The namespace that must be named.
    func givenNamespace() throws(RESTError) -> String {
        guard let name = parameters[.namespace], Namespaces.isName(name) else { throw .badNamespaceName }
        return name
    }
}

/// Dropping the past on request.
enum Purge {
    /// Blocks; for a worker.
    static func run(_ services: Services) -> StorageFailure? {
        let normal = services.databaseLimits
        for namespace in services.namespaces.all {
            var limits = normal
            limits.historyCommitCount = 0
            services.free(namespace.limit(limits))
            services.free(namespace.limit(normal))
        }
        return services.vault?.checkpoint(services, whenIdle: false)
    }
}

/// The list of namespaces as JSON.
enum NamespaceList {
    /// `{"NAME":{"revision":…,"historyFloor":…}}`.
    static func json(_ namespaces: [Namespace]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for namespace in namespaces {
            let figures = namespace.figures
            writer.key(namespace.name)
            writer.beginObject()
            writer.key("revision")
            writer.integer(figures.revision)
            writer.key("historyFloor")
            writer.integer(figures.floor)
            writer.key("views")
            writer.integer(Int64(figures.views))
            writer.endObject()
        }
        writer.endObject()
        return writer.take()
    }
}

extension WriteRefusal {
    /// The answer to a write that is not done, where nothing of the state is told.
    var answer: RESTError {
        switch self {
        case .gone: .unknownNamespace
        case .failed(let failure, _): .noSpace(failure)
        case .denied(let explanation, _): .permissionDenied(explanation)
        case .refused(let refusal, _): RESTError(refusal)
        case .unready: preconditionFailure("who asks for a condition waits until it can be looked at")
        }
    }
}
