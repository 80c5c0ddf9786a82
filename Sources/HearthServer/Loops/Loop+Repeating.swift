// Requests that come again: what was found out about one is true of the next one, as far as it is the same.
import HearthWire

extension Loop {
    /// Acts on the head that the parser of a connection has found to be the last one again, if all that is
    /// needed for that is known.
    ///
    /// - Returns: how many bytes the head has; nil if it is to be looked at as any other.
    func repeatLast(on connection: Connection) -> Int? {
        guard let last = connection.lastRequest, last.changeCount == services.namespaces.changeCount,
            !connection.isProxied, !isStopping
        else { return nil }
        switch last.form {
        case .other: return nil
        case .poll: guard takeUpParked(on: connection) else { return nil }
        case .value: readAgain(last.request, on: connection)
        }
        services.metrics.requests.add()
        return last.byteCount
    }

    private func readAgain(_ request: DataRequest, on connection: Connection) {
        do throws(RESTError) {
            try read(request, on: connection)
        } catch {
            refuse(connection, request, error)
        }
    }

    /// What is known of a request because the one before it was the same, or the same poll from another
    /// cursor on; nil if that is not so.
    func repeatedRequest(
        _ head: HTTPRequestHead, _ changeCount: Int, on connection: Connection
    ) -> DataRequest? {
        guard let last = connection.lastRequest, last.changeCount == changeCount else { return nil }
        switch head.repetition {
        case .none: return nil
        case .whole where !last.isBehind: return last.request
        case .whole, .varied:
            guard let request = last.request.varied(by: head) else { return nil }
            connection.lastRequest = LastRequest(request, changeCount, head)
            return request
        }
    }
}

/// What was found out about the last request of a connection, while it is true of the same one again.
struct LastRequest {
    /// What there is to do when it comes again.
    enum Form {
        /// To read a value.
        case value
        /// To wait for events from another cursor on.
        case poll
        case other
    }

    let request: DataRequest
    /// Changes when a namespace is made or goes.
    let changeCount: Int
    let form: Form
    /// How many bytes its head has; without a body that is all.
    let byteCount: Int
    /// Whether the same poll has come since from another cursor on than that of `request`.
    var isBehind = false

    init(_ request: DataRequest, _ changeCount: Int, _ head: HTTPRequestHead) {
        self.request = request
        self.changeCount = changeCount
        byteCount = head.byteCount
        guard request.call.action == .read, !head.hasBody else {
            form = .other
            return
        }
        switch request.call.feed {
        case .value: form = .value
        case .longPoll: form = .poll
        case .changes, .childEvents: form = .other
        }
    }
}

extension DataRequest {
    /// Whether the same bytes will mean the same: a token may be refused at another time, a deadline is
    /// another one, and a page may be let in or not by the rules that a namespace has.
    func mayBeRepeated(on connection: Connection) -> Bool {
        guard case .none = call.credential, call.authOverride == nil else { return false }
        return deadline == nil && isLocal == connection.isLocal
    }
}
