// What can go wrong between a client and a server, each with what, where, why and what to do.

/// Why a request brought no answer that can be used.
public enum ClientError: Error, Equatable, Sendable {
    /// The address given for the server cannot be used; the reason says why.
    case badAddress(String, reason: String)
    /// No connection came about; `code` is the system's error number, or nil with the resolver's reason.
    case unreachable(server: String, code: Int32?, reason: String)
    /// The server cannot be believed to be the one that was meant, or does not speak TLS.
    case insecure(server: String, reason: String)
    /// Nothing moved for `seconds` while this was going on.
    case timedOut(server: String, during: Step, seconds: Int)
    /// The connection ended before the answer was complete.
    case cutOff(server: String, during: Step)
    /// What came is no answer of a server of this kind.
    case badAnswer(server: String, reason: String)
    /// The server answered with a status of 400 or more.
    case refused(ServerRefusal)
    /// Something on this machine stopped the transfer: a file to read or write. The text is complete.
    case local(String)
    /// The program was asked to stop while it waited.
    case interrupted

    /// What was going on when it went wrong.
    public enum Step: String, Equatable, Sendable {
        /// Opening the connection.
        case connecting = "connecting"
        /// Sending the request, its body included.
        case sending = "sending the request"
        /// Waiting for the first byte of the answer.
        case waiting = "waiting for the answer"
        /// Receiving the answer.
        case receiving = "receiving the answer"
    }
}

/// An answer that says no.
public struct ServerRefusal: Error, Equatable, Sendable {
    /// 400 to 599.
    public let status: Int
    /// The text of the answer's `error` member, or what its body said otherwise; one line.
    public let reason: String
    /// Seconds after which to ask again, if the server said so.
    public let retryAfter: Int?
    /// The entity tag that came along, as 412 has it.
    public let entityTag: String?

    /// Puts a refusal together.
    public init(status: Int, reason: String, retryAfter: Int? = nil, entityTag: String? = nil) {
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
        self.entityTag = entityTag
    }
}

extension ServerRefusal: CustomStringConvertible {
    /// Status and reason.
    public var description: String {
        reason.isEmpty ? "the server answered \(status)" : "\(reason) (\(status))"
    }
}

extension ClientError: CustomStringConvertible {
    /// One sentence for the person who made the request.
    public var description: String {
        switch self {
        case .badAddress(let text, let reason):
            "'\(text)' is no address of a server: \(reason); write it like http://127.0.0.1:9000"
        case .unreachable(let server, let code, let reason):
            "cannot reach \(server): \(reason)" + ClientError.advice(code)
        case .insecure(let server, let reason):
            "cannot speak with \(server) safely: \(reason)"
        case .timedOut(let server, let step, let seconds):
            "\(server) kept still for \(seconds) s while \(step.rawValue); "
                + "look whether the server is overloaded or the address is another program's"
        case .cutOff(let server, let step):
            "\(server) ended the connection while \(step.rawValue); look into the server's log for the reason"
        case .badAnswer(let server, let reason):
            "\(server) does not answer like a Hearth server: \(reason); check the address"
        case .refused(let refusal): refusal.description
        case .local(let text): text
        case .interrupted: "interrupted"
        }
    }

    /// Whether asking again later can help: the way to the server or its state of the moment is at fault.
    public var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .cutOff: true
        case .refused(let refusal): refusal.status >= 500 || refusal.status == 429 || refusal.status == 408
        case .badAddress, .insecure, .badAnswer, .local, .interrupted: false
        }
    }
}
