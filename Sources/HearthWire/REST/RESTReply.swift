// Writes the answers to REST requests: JSON plain, wrapped or left out, errors, streams and preflights.

public import HearthCore

/// How one request is answered. Made once per request; the same whatever the answer is.
public struct RESTReply: Sendable {
    /// The form the client asked for; errors are always plain JSON.
    public var form: RESTForm
    /// Whether the body is left out because the request was HEAD.
    public var isHead: Bool
    /// The version of the request.
    public var version: HTTPVersion
    /// Whether the connection may go on. Set it to false when the server stops or the request was not read to
    /// its end.
    public var keepsAlive: Bool
    /// The state that was read or made; nil for none. Never told with an error.
    public var cursor: Cursor?
    /// The tag of the value; nil when it was not asked for.
    public var etag: HTTPFieldValue?

    /// Answers the request of `head`; without `call` (the request is wrong, or is not for the tree) in plain
    /// form.
    public init(to head: borrowing HTTPRequestHead, _ call: RESTCall? = nil) {
        form = call?.form ?? RESTForm()
        isHead = head.method == .head
        version = head.version
        keepsAlive = head.keepsAlive
    }

    /// Answers bytes that were no request; the connection is closed then.
    public init() {
        form = RESTForm()
        isHead = false
        version = .http11
        keepsAlive = false
    }

    // MARK: Values

    /// Appends the answer with a value that is JSON text already, laid out as `form.print` says.
    ///
    /// `print=silent` turns 200 into 204 without a body; `callback` wraps the text.
    /// - Parameter status: 200, or 412 with the current value.
    /// - Returns: whether the connection stays open.
    @discardableResult
    public func append(json: [UInt8], status: Int = 200, to output: inout [UInt8]) -> Bool {
        if form.print == .silent && status == 200 { return appendEmpty(status: 204, to: &output) }
        guard form.callback != nil else {
            let keepsAlive = appendHead(status: status, body: .length(json.count), to: &output)
            if !isHead { output.append(contentsOf: json) }
            return keepsAlive
        }
        var script: [UInt8] = []
        appendPrefix(to: &script)
        json.withUnsafeBytes { ScriptText.append($0, to: &script) }
        appendSuffix(to: &script)
        let keepsAlive = appendHead(status: status, body: .length(script.count), to: &output)
        if !isHead { output.append(contentsOf: script) }
        return keepsAlive
    }

    /// Appends an answer without a body: 204, 304.
    @discardableResult
    public func appendEmpty(status: Int, to output: inout [UInt8]) -> Bool {
        appendHead(status: status, body: .none, to: &output)
    }

    /// Appends an error, without cursor and tag.
    @discardableResult
    public func append(_ error: RESTError, to output: inout [UInt8]) -> Bool {
        append(error, retryAfterSeconds: nil, to: &output)
    }

    /// Appends an error that passes, with the number of seconds after which trying again makes sense.
    @discardableResult
    public func append(_ error: RESTError, retryAfterSeconds: Int?, to output: inout [UInt8]) -> Bool {
        let body = error.body
        var head = HTTPResponseHead(status: error.status, body: .length(body.count))
        head.version = version
        head.keepsAlive = keepsAlive
        if error.status == 405 {
            head.fields.append((name: "Allow", value: error.allowed ?? HTTPFieldValue(Self.methods)))
        }
        if let seconds = retryAfterSeconds, let value = HTTPFieldValue("\(seconds)") {
            head.fields.append((name: "Retry-After", value: value))
        }
        let keepsAlive = HTTPResponseWriter.append(head, to: &output)
        if !isHead { output.append(contentsOf: body) }
        return keepsAlive
    }

    // MARK: Parts, for values that are sent bit by bit

    /// Appends the head of an answer with a value; the caller sends the body in the form it promises here.
    /// - Returns: whether the connection stays open after the body.
    @discardableResult
    public func appendHead(status: Int, body: HTTPBodyFraming, to output: inout [UInt8]) -> Bool {
        var head = HTTPResponseHead(status: status, body: body)
        head.version = version
        head.keepsAlive = keepsAlive
        if body == .none && HTTPStatus.forbidsBody(status) {
            head.contentType = nil
        } else if form.callback != nil {
            head.contentType = .javaScript
        }
        HTTPResponseWriter.appendStart(of: head, to: &output)
        appendFields(to: &output)
        return HTTPResponseWriter.appendEnd(of: head, to: &output)
    }

    /// Appends what stands before the JSON of a value: nothing, or the call of the callback. The comment
    /// keeps the bytes from being taken for another kind of file.
    public func appendPrefix(to output: inout [UInt8]) {
        guard let callback = form.callback else { return }
        output.append("/**/")
        output.append(contentsOf: callback.text.utf8)
        output.append("(")
    }

    /// Appends what stands after the JSON of a value.
    public func appendSuffix(to output: inout [UInt8]) {
        if form.callback != nil { output.append(");") }
    }

    private func appendFields(to output: inout [UInt8]) {
        if let cursor {
            output.append("Hearth-Cursor: ")
            output.append(cursor)
            output.append("\r\n")
        }
        if let etag {
            output.append("ETag: ")
            output.append(contentsOf: etag.text.utf8)
            output.append("\r\n")
        }
        if let name = form.downloadName {
            output.append("Content-Disposition: attachment; filename=\"")
            output.append(contentsOf: name.text.utf8)
            output.append("\"\r\n")
        }
        if form.callback != nil { output.append("X-Content-Type-Options: nosniff\r\n") }
    }

    // MARK: Streams and preflights

    /// Appends the head of an event stream: its end is the connection's, so that one text serves all its
    /// readers.
    public func appendStreamHead(to output: inout [UInt8]) {
        var head = HTTPResponseHead(status: 200, body: .untilClose)
        head.version = version
        head.contentType = .eventStream
        // Tells nginx, the commonest proxy, to hand events on at once.
        head.fields = [(name: "X-Accel-Buffering", value: HTTPFieldValue("no"))]
        HTTPResponseWriter.append(head, to: &output)
    }

    /// Appends the answer to OPTIONS: any page may use every method, with the headers it asks for.
    ///
    /// - Parameter allowsPrivateNetwork: whether public pages may reach this server in a private network.
    @discardableResult
    public func appendPreflight(
        to request: HTTPRequestHead, allowsPrivateNetwork: Bool = false, output: inout [UInt8]
    ) -> Bool {
        var head = HTTPResponseHead(status: 204, body: .none)
        head.version = version
        head.keepsAlive = keepsAlive
        head.contentType = nil
        head.fields = [
            (name: "Allow", value: HTTPFieldValue(Self.methods)),
            (name: "Access-Control-Allow-Methods", value: HTTPFieldValue(Self.methods)),
        ]
        if let range = request.fields.value(of: .accessControlRequestHeaders), range.count <= 2048,
            request.fields.bytes[range].allSatisfy({ $0.isTokenCharacter || $0 == 0x2c || $0 == 0x20 }),
            let value = HTTPFieldValue(request.fields.text(range))
        {
            head.fields.append((name: "Access-Control-Allow-Headers", value: value))
            head.fields.append((name: "Access-Control-Max-Age", value: HTTPFieldValue("3600")))
        }
        if allowsPrivateNetwork, request.fields.value(of: .requestPrivateNetwork) != nil {
            head.fields.append(
                (name: "Access-Control-Allow-Private-Network", value: HTTPFieldValue("true")))
        }
        return HTTPResponseWriter.append(head, to: &output)
    }

    private static var methods: StaticString { "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS" }
}

/// JSON inside of scripts.
enum ScriptText {
    /// Appends JSON with U+2028 and U+2029 escaped: older engines take them for line ends, also inside of
    /// strings, the only place in JSON where they can stand.
    static func append(_ json: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var start = 0
        var index = 0
        while index + 2 < json.count {
            guard json[index] == 0xe2, json[index + 1] == 0x80, json[index + 2] | 1 == 0xa9 else {
                index += 1
                continue
            }
            output.append(contentsOf: json[start..<index])
            output.append(json[index + 2] == 0xa8 ? "\\u2028" : "\\u2029")
            index += 3
            start = index
        }
        output.append(contentsOf: json[start...])
    }
}
