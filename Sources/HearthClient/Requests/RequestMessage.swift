// Lays out a request as HTTP/1.1 has it.

internal import HearthWire

/// The bytes of a request's head, and of a body that is at hand.
struct RequestMessage {
    private var bytes: [UInt8] = []

    /// Puts together what the request says with what every request to this server says.
    init(_ request: ClientRequest, to address: ServerAddress, namespace: String?, credentials: Credentials) {
        var target = request.target
        if let namespace { target.query.append(("ns", namespace)) }
        if case .user(let token) = credentials { target.query.append(("auth", token)) }
        append("\(request.method.text) \(target.text) HTTP/1.1\r\nHost: \(address.authority)\r\n")
        if case .administrator(let token) = credentials { append("Authorization: Bearer \(token)\r\n") }
        for header in request.headers { append("\(header.name): \(header.value)\r\n") }
        append(body: request.body)
    }

    /// Sends it; returns false when the server answered before it was all sent.
    func sendHead(in exchange: Exchange) throws(ClientError) -> Bool {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        return try exchange.send(UnsafeRawBufferPointer(copy))
    }

    private mutating func append(_ text: String) {
        bytes += text.utf8
    }

    private mutating func append(body: RequestBody) {
        switch body {
        case .none: append("\r\n")
        case .bytes(let content):
            append("Content-Type: application/json\r\nContent-Length: \(content.count)\r\n\r\n")
            bytes += content
        case .file(let file):
            append("Content-Type: application/json\r\nExpect: 100-continue\r\n")
            append(
                file.length.map { "Content-Length: \($0)\r\n\r\n" } ?? "Transfer-Encoding: chunked\r\n\r\n")
        }
    }
}
