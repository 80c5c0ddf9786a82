// The methods of HTTP that mean something here.

/// What a request asks for.
public enum HTTPMethod: UInt8, Equatable, Sendable {
    case get, head, put, post, patch, delete, options
    /// A well-formed method that this server has no use for, for instance `TRACE`.
    case other

    /// The method spelled by the bytes of `range`; methods are case-sensitive.
    init(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) {
        let candidate: HTTPMethod =
            switch (range.count, bytes[range.lowerBound &+ 1]) {
            case (3, 0x45): .get
            case (3, _): .put
            case (4, 0x4f): .post
            case (4, _): .head
            case (5, _): .patch
            case (6, _): .delete
            case (7, _): .options
            default: .other
            }
        let name = candidate.text.utf8Start
        let isSpelled = range.indices.allSatisfy { bytes[$0] == name[$0 &- range.lowerBound] }
        self = candidate != .other && isSpelled ? candidate : .other
    }

    /// The method with this spelling, in upper case, or nil for a method without meaning here.
    public init?(_ text: some StringProtocol) {
        let methods: [HTTPMethod] = [.get, .head, .put, .post, .patch, .delete, .options]
        guard let method = methods.first(where: { text == "\($0.text)" }) else { return nil }
        self = method
    }

    /// The method in upper case; `other` has no spelling of its own and gives an empty text.
    public var text: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .put: "PUT"
        case .post: "POST"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: ""
        }
    }
}

/// The two versions that are answered.
public enum HTTPVersion: UInt8, Equatable, Sendable {
    /// Closes after each answer unless asked to keep alive; knows no chunks.
    case http10
    /// Keeps alive unless asked to close.
    case http11
}

/// How the end of a body is found.
public enum HTTPBodyFraming: Equatable, Sendable {
    /// There is no body.
    case none
    /// Exactly this many bytes, at least 0.
    case length(Int)
    /// Chunks, the last one empty.
    case chunked
    /// Everything until the connection ends; responses only.
    case untilClose
}
