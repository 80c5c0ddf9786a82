// GET and HEAD of the files of the public directory.
import HearthWire

extension Loop {
    /// Finds out whether there can be a file for a request.
    ///
    /// - Throws: 404 without a public directory, 405 for other methods than GET and HEAD.
    func checkPublic(_ head: HTTPRequestHead) throws(RESTError) {
        guard services.publicDirectory != nil else { throw .noSuffix }
        switch head.method {
        case .get, .head, .options: return
        default: throw .readsOnly
        }
    }

    /// Has a worker find the file that a request names, and sends it.
    func sendPublicFile(_ head: HTTPRequestHead, on connection: Connection) throws(RESTError) {
        try checkPublic(head)
        guard let directory = services.publicDirectory else { throw .noSuffix }
        guard let path = PublicPath(encoded: head.fields.bytes[head.path]) else { throw .noFile }
        var request = FileRequest(head)
        if isStopping { request.keepsAlive = false }
        connection.incoming = .blocked
        let (token, mailbox, log) = (connection.token, mailbox, services.log)
        services.fileWorkers.run { [request] in
            let outcome = PublicOutcome(directory.find(path), path, request, log)
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    loop.send(outcome, to: head, on: connection)
                })
        }
    }

    private func send(_ outcome: PublicOutcome, to head: HTTPRequestHead, on connection: Connection) {
        switch outcome {
        case .delivery(let delivery): delivery.send(on: connection, of: self)
        case .elsewhere(let address): redirect(to: address, head, on: connection)
        case .refusal(let error): refuse(connection, head, error)
        }
    }

    /// A directory is named without its slash: links on its page would lead elsewhere.
    private func redirect(to address: String, _ request: HTTPRequestHead, on connection: Connection) {
        var head = HTTPResponseHead(status: 302, body: .none)
        head.version = request.version
        head.keepsAlive = request.keepsAlive && !isStopping
        head.contentType = nil
        head.isOpenToAnyOrigin = false
        if let value = HTTPFieldValue(address) { head.fields = [(name: "Location", value: value)] }
        respond(connection, until: 0) { HTTPResponseWriter.append(head, to: &$0) }
    }
}

/// What a request for a public file comes to.
private enum PublicOutcome: Sendable {
    case delivery(FileDelivery)
    /// The address of the directory.
    case elsewhere(String)
    case refusal(RESTError)

    /// Makes the answer. Blocks; for a worker.
    init(_ finding: PublicDirectory.Finding, _ path: PublicPath, _ request: FileRequest, _ log: Log) {
        switch finding {
        case .file(let file):
            let delivery = FileDelivery(FileReply(file), file.file, to: request, log: log)
            self = delivery.map { .delivery($0) } ?? .refusal(.unreadableFile)
        case .directory where !path.isDirectory: self = .elsewhere(path.directoryAddress)
        case .directory, .nothing: self = .refusal(.noFile)
        case .failure(let failure):
            log.error("a public file cannot be read", ("reason", "\(failure)"))
            self = .refusal(.unreadableFile)
        }
    }
}

extension FileReply {
    /// What is told of a public file. Browsers ask each time whether it has changed, must not guess what it
    /// is, and show it in no frame of other sites.
    fileprivate init(_ file: PublicFile) {
        self.init(
            size: file.byteCount, tag: file.tag, modified: file.modified,
            contentType: MediaTypes.ofFile(named: file.name))
        fields = [
            (name: "X-Content-Type-Options", value: HTTPFieldValue("nosniff")),
            (name: "X-Frame-Options", value: HTTPFieldValue("SAMEORIGIN")),
        ]
    }
}

extension RESTError {
    /// A file that is there, and cannot be read now.
    static var unreadableFile: RESTError {
        RESTError(status: 503, text: "The file cannot be read now. Try again later.")
    }
}
