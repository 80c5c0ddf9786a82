// One request and its answer on a connection, where the answer may come before the request is all sent.

internal import HearthWire

/// Sends a request and finds the head of its answer.
final class Exchange {
    let connection: Connection
    private let server: String
    private let method: HTTPMethod
    private let sendPatience: Duration
    private var parser = HTTPResponseParser()
    /// The head of the answer, once it is there.
    private(set) var head: HTTPReceivedResponse?

    /// Begins on a connection with nothing unread.
    init(over connection: Connection, server: String, method: HTTPMethod, sendPatience: Duration) {
        self.connection = connection
        self.server = server
        self.method = method
        self.sendPatience = sendPatience
    }

    /// Sends all of `bytes`; returns false when the server answered, or takes no more, before.
    func send(_ bytes: UnsafeRawBufferPointer) throws(ClientError) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch try connection.offer(UnsafeRawBufferPointer(rebasing: rest)) {
            case .took(let count): rest = rest.dropFirst(count)
            case .closed: return false
            case .full:
                let hasSpoken = try connection.waitToSend(atMost: sendPatience)
                if hasSpoken, try takeAnswer() { return false }
            }
        }
        return true
    }

    /// Waits until `descriptor` can be read, however long it takes; returns false when the server answers
    /// before.
    func waitUnanswered(untilReadable descriptor: Int32) throws(ClientError) -> Bool {
        while try connection.waitToReceive(orToRead: descriptor, atMost: .seconds(86_400)) {
            if try takeAnswer() { return false }
        }
        return true
    }

    /// Waits for `100 Continue`, or for a server that does not know it; returns false when the answer is
    /// there.
    func waitForContinue(atMost patience: Duration) throws(ClientError) -> Bool {
        guard try connection.hasAnswer(within: patience) else { return true }
        return try !takeAnswer()
    }

    /// Waits for the head of the answer.
    func waitForHead(atMost patience: Duration) throws(ClientError) -> HTTPReceivedResponse {
        while true {
            if let head { return head }
            let step: ClientError.Step = connection.hasUnread ? .receiving : .waiting
            guard try connection.receive(during: step, atMost: patience) else {
                throw .cutOff(server: server, during: step)
            }
            try parse()
        }
    }

    /// Receives what has come; returns whether the head of the answer is complete or the connection has
    /// ended.
    private func takeAnswer() throws(ClientError) -> Bool {
        let arrival = try connection.takeIn(during: .receiving)
        try parse()
        return head != nil || arrival == .end
    }

    private func parse() throws(ClientError) {
        do throws(HTTPParseError) {
            head = try parser.next(in: connection.unreadBytes, answering: method)
        } catch {
            throw .badAnswer(server: server, reason: error.message)
        }
        if let head { connection.drop(head.byteCount) }
    }
}
