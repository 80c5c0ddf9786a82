// `/.files`: reading, storing and removing uploaded files.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

extension Loop {
    /// Decides a request to a file; the content of an upload has come already.
    ///
    /// - Parameter upload: the body; nil if there is none.
    func actOnFile(
        _ path: String, _ head: HTTPRequestHead, _ upload: Upload?, on connection: Connection
    ) throws(RESTError) {
        switch head.method {
        case .get, .head: try readFile(path, head, on: connection)
        case .put: try finishFile(path, upload ?? Upload(empty: head, services: services), on: connection)
        case .delete: try removeFile(path, head, on: connection)
        default: throw .filesMethod
        }
    }

    private func readFile(
        _ path: String, _ head: HTTPRequestHead, on connection: Connection
    ) throws(RESTError) {
        let call = try fileCall(path, head, on: connection)
        guard let sight = call.namespace.look(services, newestOwn: connection.newestWrite) else {
            throw .unknownNamespace
        }
        try judge(call.judgement(isWrite: false), call.namespace, sight)
        var request = FileRequest(head)
        request.keepsAlive = call.reply.keepsAlive
        let log = services.log
        let position = sight.position
        runFileWork(connection) { [request] in
            Result { () throws(RESTError) in
                guard let file = try call.opened(log) else { throw RESTError.noStoredFile }
                let reply = FileReply(file)
                let delivery = FileDelivery(reply, file.content, from: file.start, to: request, log: log)
                guard let delivery else { throw RESTError.unreadableFile }
                return delivery
            }
        } then: { loop, connection, delivery in
            delivery.send(on: connection, of: loop, until: position)
        } refused: { loop, connection, error in
            loop.answer(error, call, until: position, on: connection)
        }
    }

    private func removeFile(
        _ path: String, _ head: HTTPRequestHead, on connection: Connection
    ) throws(RESTError) {
        let call = try fileCall(path, head, on: connection)
        guard let sight = call.namespace.newest() else { throw .unknownNamespace }
        try judge(call.judgement(isWrite: true), call.namespace, sight)
        let log = services.log
        let position = sight.position
        runFileWork(connection) {
            Result { () throws(RESTError) in try call.remove(log) }
        } then: { loop, connection, _ in
            loop.respond(connection, until: position) { call.reply.append(json: Array("null".utf8), to: &$0) }
        } refused: { loop, connection, error in
            loop.answer(error, call, until: position, on: connection)
        }
    }

    /// Answers a request to a file that is not done, once what was judged is durable.
    func answer(_ error: RESTError, _ call: FileCall, until position: Position, on connection: Connection) {
        respond(connection, until: position) { output in
            call.reply.append(error, retryAfterSeconds: error.status == 503 ? 1 : nil, to: &output)
        }
    }

    /// Has a worker do something with files while the connection waits, and goes on with what came of it.
    func runFileWork<Value: Sendable>(
        _ connection: Connection, _ work: @escaping @Sendable () -> Result<Value, RESTError>,
        then: @escaping @Sendable (Loop, Connection, Value) -> Void,
        refused: @escaping @Sendable (Loop, Connection, RESTError) -> Void
    ) {
        connection.incoming = .blocked
        let (token, mailbox) = (connection.token, mailbox)
        services.fileWorkers.run {
            let result = work()
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    switch result {
                    case .success(let value): then(loop, connection, value)
                    case .failure(let error): refused(loop, connection, error)
                    }
                })
        }
    }
}

extension FileCall {
    /// Opens the file; nil if there is none. Blocks; for a worker.
    func opened(_ log: Log) throws(RESTError) -> OpenedFile? {
        do throws(StorageFailure) {
            return try store.open(place)
        } catch {
            log.error("a file cannot be opened", ("reason", "\(error)"))
            throw .unreadableFile
        }
    }

    /// Removes the file, if there is one. Blocks; for a worker.
    func remove(_ log: Log) throws(RESTError) {
        do throws(StorageFailure) {
            _ = try store.remove(place)
        } catch {
            log.error("a file cannot be removed", ("reason", "\(error)"))
            throw RESTError(status: 503, text: "The file cannot be removed now. Try again later.")
        }
    }
}

extension FileReply {
    /// What is told of an uploaded file: never a page of ours, whatever is in it. Pages show what was found
    /// to be an image, a sound or a film; the rest is for saving.
    fileprivate init(_ opened: OpenedFile) {
        let type =
            HTTPFieldValue(opened.file.contentType)
            ?? HTTPFieldValue("application/octet-stream" as StaticString)
        self.init(
            size: opened.file.byteCount, tag: opened.tag, modified: Int(opened.file.time / 1000),
            contentType: .other(type))
        isOpenToAnyOrigin = true
        fields = [
            (name: "Content-Security-Policy", value: HTTPFieldValue("sandbox; default-src 'none'")),
            (name: "X-Content-Type-Options", value: HTTPFieldValue("nosniff")),
            (name: "Referrer-Policy", value: HTTPFieldValue("no-referrer")),
        ]
        guard MediaType(opened.file.contentType)?.isMedia != true else { return }
        fields.append((name: "Content-Disposition", value: HTTPFieldValue("attachment")))
    }
}

extension RESTError {
    /// A place without a file.
    static var noStoredFile: RESTError {
        RESTError(status: 404, text: "There is no file at this address.")
    }

    /// A method that files do not take.
    static var filesMethod: RESTError {
        var error = badMethod
        error.allowed = HTTPFieldValue("GET, HEAD, PUT, DELETE, OPTIONS")
        return error
    }
}
