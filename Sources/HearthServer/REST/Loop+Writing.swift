// PUT, POST, PATCH and DELETE: read the body, commit under the lock, answer when it is durable.
import HearthCore
import HearthEngine
import HearthJSON
import HearthStorage
import HearthWire

extension Loop {
    /// Does a write whose body is here as a whole, and small.
    func write(
        _ request: DataRequest, _ body: UnsafeRawBufferPointer, on connection: Connection
    ) throws(RESTError) {
        try write(request, try RequestBody.read(body, of: request.call, using: &draftMemory), on: connection)
    }

    private func write(
        _ request: DataRequest, _ content: RequestBody, on connection: Connection
    ) throws(RESTError) {
        try requireSize(request, content)
        if content.addsData { try services.memory.requireRoom() }
        try commit(request, content, nil, on: connection)
    }

    /// Does a write whose body is complete; a large one is read by a worker first.
    func write(_ request: DataRequest, _ body: Body, on connection: Connection) throws(RESTError) {
        guard body.bytes.count > services.configuration.limits.inlineBytes else {
            return try write(request, try RequestBody.read(body.bytes, of: request.call), on: connection)
        }
        // What is to be removed is named by fewer bytes; reading these may take many times as much memory.
        try services.memory.requireRoom()
        connection.incoming = .blocked
        let token = connection.token
        let mailbox = mailbox
        let services = services
        services.workers.run {
            let result = LargeWrite.read(body, of: request.call, services)
            mailbox.post(
                .resume(token) { loop, connection in
                    loop.finish(request, result, on: connection)
                })
        }
    }

    /// Goes on with a write whose body a worker has read.
    private func finish(
        _ request: DataRequest, _ result: Result<LargeWrite, RESTError>, on connection: Connection
    ) {
        connection.incoming = .head
        do throws(RESTError) {
            let large = try result.get()
            try requireSize(request, large.content)
            try commit(request, large.content, large.file, on: connection)
        } catch {
            refuse(connection, request, error)
        }
    }

    /// Commits a write and answers it.
    private func commit(
        _ request: DataRequest, _ content: RequestBody, _ file: BulkFileClaim?, on connection: Connection
    ) throws(RESTError) {
        let again = { @Sendable (loop: Loop, connection: Connection) in
            loop.finish(request, .success(LargeWrite(content: content, file: file)), on: connection)
        }
        var condition: WriteCondition?
        if case .match(let tag) = request.call.condition {
            // Digests are kept by the tree: making them now leaves nothing to do under the lock.
            let place = request.namespace.newest()?.state.root.descendant(at: request.call.location.path)
            if let place, !place.hasDigest() { return digest(place, on: connection, then: again) }
            _ = place?.digest
            condition = WriteCondition { $0.etag == tag }
        }
        let write = Namespace.Request(
            form: form(of: request.call, content), asker: request.asker, explains: request.explains,
            file: file.map { ($0, .replace) }, condition: condition)
        do throws(WriteRefusal) {
            let written = try request.namespace.write(write, services: services, from: index)
            connection.newestWrite = written.publication.position
            if handsOverAtOnce {
                services.recorder.handOver()
                handsOverAtOnce = false
            }
            answer(request, written, content, on: connection)
        } catch {
            if awaitRoom(after: error, on: connection, again) { return }
            if case .unready(let place) = error { return digest(place, on: connection, then: again) }
            try refuse(request, error, on: connection)
        }
    }

    /// Waits for the journal's next segment if a write found no room and the disk is not known to be full.
    ///
    /// - Parameter again: called in the connection's turn when there is more room or the disk is full.
    /// - Returns: whether it will be called.
    func awaitRoom(
        after refusal: WriteRefusal, on connection: Connection,
        _ again: @escaping @Sendable (Loop, Connection) -> Void
    ) -> Bool {
        guard case .failed(_, let byteCount) = refusal, let journal = services.vault?.journal,
            journal.shortage == nil
        else { return false }
        connection.incoming = .blocked
        let (mailbox, token) = (mailbox, connection.token)
        journal.makeRoom(byteCount) { mailbox.post(.resume(token, again)) }
        return true
    }

    private func form(of call: RESTCall, _ content: RequestBody) -> Namespace.Request.Form {
        let path = call.location.path
        switch content {
        case .value(let draft): return call.action == .push ? .push(path, draft) : .write(.set(path, draft))
        case .changes(let changes): return .write(.update(path, changes))
        case .priority(let resolution): return .write(.prioritize(path, resolution))
        }
    }

    private func answer(
        _ request: DataRequest, _ written: Written, _ content: RequestBody, on connection: Connection
    ) {
        let publication = written.publication
        var format = NodeSerializer.Format.plain
        if request.call.form.print == .pretty { format.layout = .pretty }
        if let key = written.key, !request.call.wantsETag {
            // Most pushes: nobody asks what stands there now.
            return answer(request.reply(publication.after, tagged: nil), key, format, publication, connection)
        }
        let path = written.key.map { request.call.location.path.appending($0) } ?? request.call.location.path
        let node = publication.after.root.descendant(at: path)
        guard !request.call.wantsETag || node.hasDigest() else {
            return digest(node, on: connection) { loop, connection in
                loop.answer(request, written, content, on: connection)
            }
        }
        let reply = request.reply(publication.after, tagged: node)
        if let key = written.key { return answer(reply, key, format, publication, connection) }
        switch content {
        case .changes(let changes):
            let json = WriteAnswer.changes(changes, publication, format)
            respond(connection, until: publication.position) { reply.append(json: json, to: &$0) }
        case .priority:
            let json = NodeSerializer.bytes(of: node.priority.node, format)
            respond(connection, until: publication.position) { reply.append(json: json, to: &$0) }
        case .value:
            let value = request.call.action == .remove ? .empty : node
            send(.whole(value), format, reply, until: publication.position, on: connection)
        }
    }

    /// Tells the name that a push was given.
    private func answer(
        _ reply: RESTReply, _ key: Key, _ format: NodeSerializer.Format, _ publication: Publication,
        _ connection: Connection
    ) {
        text.removeAll(keepingCapacity: true)
        WriteAnswer.appendName(key, layout: format.layout, to: &text)
        respond(connection, until: publication.position) { reply.append(json: text, to: &$0) }
    }

    /// Says why a write is not done; what was seen for that is told when it is durable.
    private func refuse(
        _ request: DataRequest, _ refusal: WriteRefusal, on connection: Connection
    ) throws(RESTError) {
        switch refusal {
        case .gone, .failed, .unready: throw refusal.answer
        case .denied(let explanation, let position):
            deny(request, explanation, until: position, on: connection)
        case .refused(.conditionFailed, let sight):
            let place = sight.state.root.descendant(at: request.call.location.path)
            let reply = request.reply(sight.state, tagged: place)
            let json = NodeSerializer.bytes(of: place, request.format)
            respond(connection, until: sight.position) { reply.append(json: json, status: 412, to: &$0) }
        case .refused(let reason, let sight):
            let reply = request.reply
            respond(connection, until: sight.position) { reply.append(RESTError(reason), to: &$0) }
        }
    }

    /// Answers a request that is not done, in the form that it asked for.
    func refuse(_ connection: Connection, _ request: DataRequest, _ error: RESTError) {
        let reply = request.reply
        respond(connection, until: 0) { output in
            reply.append(error, retryAfterSeconds: error.status == 503 ? 1 : nil, to: &output)
        }
    }
}

/// A large write, read and if need be already on the disk.
struct LargeWrite: Sendable {
    let content: RequestBody
    /// The file that holds its value, if it is too large for the journal.
    let file: BulkFileClaim?

    /// Reads a body on a worker.
    static func read(_ body: Body, of call: RESTCall, _ services: Services) -> Result<LargeWrite, RESTError> {
        do throws(RESTError) {
            let content = try RequestBody.read(body.bytes, of: call)
            guard let node = content.plainValue else {
                return .success(LargeWrite(content: content, file: nil))
            }
            return .success(LargeWrite(content: content, file: try keep(node, services)))
        } catch {
            return .failure(error)
        }
    }

    /// Writes a value into a file of its own, which the journal then only names, if it is large and there
    /// are files at all.
    static func keep(_ node: Node, _ services: Services) throws(RESTError) -> BulkFileClaim? {
        guard node.weight > services.configuration.limits.inlineBytes, let vault = services.vault else {
            return nil
        }
        do throws(StorageFailure) {
            return BulkFileClaim(try vault.directory.writeBulkFile(node), services)
        } catch {
            throw services.refusal(after: error)
        }
    }
}

/// The JSON that tells what a write has done.
enum WriteAnswer {
    /// Appends `{"name":"-N…"}`.
    static func appendName(_ key: Key, layout: JSONLayout, to output: inout [UInt8]) {
        var writer = JSONWriter(layout: layout)
        swap(&writer.bytes, &output)
        writer.beginObject()
        writer.key("name")
        if let words = key.plainBytes {
            withUnsafeBytes(of: words) {
                writer.string(utf8: UnsafeRawBufferPointer(rebasing: $0[..<key.byteCount]))
            }
        } else {
            writer.string(key.text)
        }
        writer.endObject()
        swap(&writer.bytes, &output)
    }

    /// The members of an update with their values as they were written.
    static func changes(
        _ changes: [(path: Path, draft: Draft)], _ publication: Publication, _ format: NodeSerializer.Format
    ) -> [UInt8] {
        var writer = JSONWriter(layout: format.layout)
        writer.beginObject()
        let base = publication.after.root.descendant(at: publication.commit.base)
        for (path, draft) in changes {
            let node = base.descendant(at: path)
            let isPriority = draft.solePriority != nil
            let name = path.keys.map(\.text) + (isPriority ? [".priority"] : [])
            writer.key(name.joined(separator: "/"))
            let json = NodeSerializer.bytes(of: isPriority ? node.priority.node : node, format)
            json.withUnsafeBytes { writer.value(text: $0) }
        }
        writer.endObject()
        return writer.take()
    }
}
