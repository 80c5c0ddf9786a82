// What is asked of a server.

public import HearthWire

/// One request, without what every request of a client carries: host, namespace and credentials.
public struct ClientRequest {
    /// What to do.
    public var method: HTTPMethod
    /// Where.
    public var target: RequestTarget
    /// Further headers; names and values are visible ASCII and the caller's responsibility.
    public var headers: [(name: String, value: String)]
    /// What is sent along.
    public var body: RequestBody
    /// How long the server may keep still before the answer begins. 60 seconds by default.
    public var patience: Duration

    /// Puts a request together.
    public init(
        _ method: HTTPMethod, _ target: RequestTarget, headers: [(name: String, value: String)] = [],
        body: RequestBody = .none, patience: Duration = .seconds(60)
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.patience = patience
    }

    /// Whether doing it twice is the same as doing it once, so that it may be sent again after a lost
    /// connection.
    var isRepeatable: Bool {
        switch (method, body) {
        case (.get, _), (.head, _): true
        default: false
        }
    }
}
