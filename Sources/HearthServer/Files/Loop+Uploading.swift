// PUT of a file: judged before its content comes, and again before it counts.
import HearthCore
import HearthEngine
import HearthJSON
import HearthRules
import HearthStorage
import HearthWire

/// An upload that is on its way.
struct FileArrival {
    let call: FileCall
    let pipe: FilePipe
    let type: MediaType
    let byteCount: Int

    /// What the rules see of it.
    var side: FileFacts.Side { FileFacts.Side(size: Int64(byteCount), contentType: type.description) }
}

extension Loop {
    /// Begins an upload: whoever may not, or sends too much, is told before the first byte is taken.
    func beginFile(_ path: String, _ upload: Upload, on connection: Connection) throws(RESTError) {
        let head = upload.head
        guard head.method == .put else {
            if head.method == .delete { return }
            throw .filesMethod
        }
        let (type, byteCount) = try description(of: head)
        let call = try fileCall(path, head, on: connection)
        guard let sight = call.namespace.look(services, newestOwn: connection.newestWrite) else {
            throw .unknownNamespace
        }
        let side = FileFacts.Side(size: Int64(byteCount), contentType: type.description)
        try judge(call.judgement(isWrite: true, request: side), call.namespace, sight)
        let file = StoredFile(
            place: call.place, contentType: type.description, time: services.clock.milliseconds,
            byteCount: byteCount)
        let receiving = FileReceiving(file, type, to: call.store, log: services.log)
        let pipe = FilePipe(receiving, token: connection.token, mailbox: mailbox, services: services)
        connection.arrival = FileArrival(call: call, pipe: pipe, type: type, byteCount: byteCount)
        upload.sink = .pipe(pipe)
    }

    /// What a client says about a file that it sends.
    private func description(of head: HTTPRequestHead) throws(RESTError) -> (MediaType, Int) {
        let byteCount: Int
        switch head.body {
        case .none: byteCount = 0
        case .length(let count): byteCount = count
        case .chunked, .untilClose: throw .lengthRequired
        }
        guard let range = head.fields.value(of: .contentType) else { return (.bytes, byteCount) }
        guard head.fields.count(of: .contentType) == 1, let type = MediaType(head.fields.text(range)) else {
            throw .badFileType
        }
        return (type, byteCount)
    }

    /// A worker has written a piece of an upload.
    func continueUpload(_ connection: Connection) {
        connection.arrival?.pipe.pieceIsWritten()
        markDirty(connection)
    }

    /// Goes on when the whole content has come.
    func finishFile(_ path: String, _ upload: Upload, on connection: Connection) throws(RESTError) {
        // An upload without a body was not announced.
        if case .memory = upload.sink { try beginFile(path, upload, on: connection) }
        guard let pipe = connection.arrival?.pipe else { throw .noData }
        // The content is complete: the end of the upload is not the end of the pipe.
        upload.sink = .memory
        connection.incoming = .blocked
        // The pipe belongs to the connection and must not keep it, or neither would ever go.
        pipe.whenIdle { [unowned self, weak connection] in
            guard let connection, let arrival = connection.arrival.take() else { return }
            do throws(RESTError) {
                try complete(arrival, on: connection)
            } catch {
                arrival.pipe.cut()
                connection.incoming = .head
                answer(error, arrival.call, until: 0, on: connection)
            }
        }
    }

    private func complete(_ arrival: FileArrival, on connection: Connection) throws(RESTError) {
        let call = arrival.call
        guard let sight = call.namespace.newest() else { throw .unknownNamespace }
        try judge(call.judgement(isWrite: true, request: arrival.side), call.namespace, sight)
        let rest = arrival.pipe.handOver()
        let receiving = arrival.pipe.receiving
        let position = sight.position
        runFileWork(connection) {
            if !rest.isEmpty { receiving.take(rest) }
            return receiving.finish()
        } then: { loop, connection, tag in
            var reply = call.reply
            reply.etag = HTTPFieldValue("\"\(tag)\"")
            let json = receiving.file.json(tag: tag)
            loop.respond(connection, until: position) { reply.append(json: json, to: &$0) }
        } refused: { loop, connection, error in
            loop.answer(error, call, until: position, on: connection)
        }
    }
}

extension StoredFile {
    /// What is told to who has stored it.
    fileprivate func json(tag: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("path")
        writer.string(place.path)
        writer.key("contentType")
        writer.string(contentType)
        writer.key("size")
        writer.integer(Int64(byteCount))
        writer.key("etag")
        writer.string("\"\(tag)\"")
        writer.endObject()
        return writer.take()
    }
}

extension RESTError {
    static var lengthRequired: RESTError {
        RESTError(status: 411, text: "A file is sent with its size in Content-Length.")
    }

    static var badFileType: RESTError {
        RESTError(status: 400, text: "Content-Type is a media type such as image/png.")
    }

    /// The content is something else than what it is said to be.
    static func mistypedFile(_ type: MediaType) -> RESTError {
        RESTError(status: 415, text: "The content is no \(type), or of a kind that is not shown as such.")
    }

    static func noRoomForFile(_ refusal: FileStore.Refusal) -> RESTError {
        switch refusal {
        case .overQuota(let limit):
            RESTError(
                status: 507,
                text: "All files together may have \(limit) bytes; remove some, or raise --files-quota.")
        case .diskIsFull: RESTError(status: 507, text: "The server's disk has no room for this file.")
        }
    }

    static var unstorableFile: RESTError {
        RESTError(status: 503, text: "The file cannot be stored now. Try again later.")
    }
}
