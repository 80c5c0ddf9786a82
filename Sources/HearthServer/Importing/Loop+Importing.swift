// `PUT /.settings/import.json`: a snapshot of any size becomes one commit.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

extension Loop {
    /// Begins an import: checks that it may be done before the first byte of the snapshot is taken.
    func beginImport(_ upload: Upload, on connection: Connection) throws(RESTError) {
        let request = try adminRequest(upload.head)
        guard request.method == .put || request.method == .post else { throw .badMethod }
        let order = try ImportOrder(request.parameters)
        try services.memory.requireRoom()
        if order.mode == .create, let namespace = services.namespaces.find(request.namespaceName),
            let state = namespace.newest()?.state, !state.root.descendant(at: order.path).isEmpty
        {
            throw .importOverData
        }
        let pipe = ImportPipe(
            order, token: connection.token, mailbox: mailbox, services: services)
        connection.importPipe = pipe
        upload.sink = .pipe(pipe)
    }

    /// A worker has read a piece of an import.
    func continueImport(_ connection: Connection) {
        connection.importPipe?.pieceIsRead()
        markDirty(connection)
    }

    /// Goes on when the whole snapshot has come.
    func finishImport(
        _ request: AdminRequest, _ upload: Upload?, on connection: Connection
    ) throws(RESTError) {
        guard let upload, case .pipe(let any) = upload.sink, let pipe = any as? ImportPipe else {
            throw .noData
        }
        let namespace = try namespace(request.namespaceName, creates: true, .administrator)
        // The body is complete: the end of the upload is not the end of the pipe.
        upload.sink = .memory
        connection.incoming = .blocked
        connection.importPipe = pipe
        // The pipe belongs to the connection and must not keep it, or neither would ever go.
        pipe.whenIdle { [unowned self, weak connection] in
            guard let connection, let pipe = connection.importPipe else { return }
            complete(pipe, request, namespace, connection)
        }
    }

    private func complete(
        _ pipe: ImportPipe, _ request: AdminRequest, _ namespace: Namespace, _ connection: Connection
    ) {
        connection.importPipe = nil
        let rest = pipe.takeRest()
        let (reading, order, mailbox, token) = (pipe.reading, pipe.order, mailbox, connection.token)
        let (services, byteCount) = (services, pipe.byteCount)
        services.workers.run {
            reading.takeLast(rest)
            let result = ImportResult.make(reading, order, services)
            mailbox.post(
                .resume(token) { loop, connection in
                    loop.commit(result, order, byteCount, request, namespace, on: connection)
                })
        }
    }

    private func commit(
        _ result: Result<ImportResult, RESTError>, _ order: ImportOrder, _ byteCount: Int,
        _ request: AdminRequest, _ namespace: Namespace, on connection: Connection
    ) {
        connection.incoming = .head
        do throws(RESTError) {
            let snapshot = try result.get()
            let written: Written?
            do throws(WriteRefusal) {
                written = order.isDryRun ? nil : try write(snapshot, order, to: namespace)
            } catch {
                let again = { @Sendable (loop: Loop, connection: Connection) in
                    loop.commit(result, order, byteCount, request, namespace, on: connection)
                }
                if awaitRoom(after: error, on: connection, again) { return }
                if case .refused(.conditionFailed, _) = error { throw .importOverData }
                throw error.answer
            }
            if let written { connection.newestWrite = written.publication.position }
            answerImport(request, snapshot, byteCount, written, namespace, on: connection)
        } catch {
            let seconds = error.status == 503 ? 1 : nil
            respond(connection, until: 0) {
                request.reply.append(error, retryAfterSeconds: seconds, to: &$0)
            }
        }
    }

    private func write(
        _ snapshot: ImportResult, _ order: ImportOrder, to namespace: Namespace
    ) throws(WriteRefusal) -> Written {
        let condition = order.mode == .create ? WriteCondition { $0.isEmpty } : nil
        let mode: BulkCommit.Mode = order.mode == .merge ? .merge : .replace
        let write = Namespace.Request(
            form: .write(snapshot.write(order)), file: snapshot.file.map { ($0, mode) }, condition: condition)
        return try namespace.write(write, services: services, from: index)
    }

    private func answerImport(
        _ request: AdminRequest, _ snapshot: ImportResult, _ byteCount: Int, _ written: Written?,
        _ namespace: Namespace, on connection: Connection
    ) {
        var reply = request.reply
        if let written {
            reply.cursor = Cursor(epoch: namespace.epoch, revision: written.publication.commit.revision)
        }
        let json = snapshot.json(byteCount: byteCount, isDryRun: written == nil)
        respond(connection, until: written?.publication.position ?? 0) { reply.append(json: json, to: &$0) }
    }
}
