// GET and HEAD: the value of a place, as it is durable.
import HearthCore
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Decides a request to a place in the tree.
    func actOnData(
        _ head: HTTPRequestHead, _ body: ArrivedBody, on connection: Connection
    ) throws(RESTError) {
        let request = try dataRequest(head, on: connection)
        guard request.call.action == .read else {
            switch body {
            case .here(let bytes): return try write(request, bytes, on: connection)
            case .gathered(let upload): return try write(request, upload.takeBody(), on: connection)
            case .none: return try write(request, Body.none, on: connection)
            }
        }
        switch request.call.feed {
        case .value: try read(request, on: connection)
        case .longPoll(let poll): try beginPoll(poll, request, on: connection)
        case .changes(let since): try beginStream(nil, since, request, on: connection)
        case .childEvents(let kinds, let since): try beginStream(kinds, since, request, on: connection)
        }
    }

    /// Answers a read of a value.
    func read(_ request: DataRequest, on connection: Connection) throws(RESTError) {
        guard let sight = request.namespace.look(services, newestOwn: connection.newestWrite) else {
            throw .unknownNamespace
        }
        guard mayRead(request, sight, on: connection) else { return }
        let place = sight.state.root.descendant(at: request.call.location.path)
        guard !request.call.wantsETag || place.hasDigest() else {
            return digest(place, on: connection) { loop, connection in
                do throws(RESTError) {
                    try loop.answer(request, place, sight, on: connection)
                } catch {
                    loop.refuse(connection, request, error)
                }
            }
        }
        try answer(request, place, sight, on: connection)
    }

    /// Answers with what stands at a place, in the form that was asked for.
    private func answer(
        _ request: DataRequest, _ place: Node, _ sight: Sight, on connection: Connection
    ) throws(RESTError) {
        if !request.hasQuery, copy(.whole(place), request, sight, on: connection) { return }
        try requireTime(request)
        if case .noneMatch(let tag) = request.call.condition, tag == place.etag {
            let reply = request.reply(sight.state, tagged: place)
            return respond(connection, until: sight.position) { reply.appendEmpty(status: 304, to: &$0) }
        }
        if request.call.location.isPriority {
            let json = NodeSerializer.bytes(of: place.priority.node)
            let reply = request.reply(sight.state, tagged: place)
            return respond(connection, until: sight.position) { reply.append(json: json, to: &$0) }
        }
        guard let query = request.call.query else {
            let reply = request.reply(sight.state, tagged: place)
            return try answer(request, .whole(place), reply, until: sight.position, on: connection)
        }
        try requireIndex(query, request, in: sight.state)
        if case .sort(let count) = Window.effort(for: request.view, in: sight.state), count > 2000 {
            return sort(request, sight, request.reply(sight.state, tagged: place), on: connection)
        }
        let value = try request.value(in: sight.state).get()
        if copy(value, request, sight, on: connection) { return }
        let reply = request.reply(sight.state, tagged: place)
        try answer(request, value, reply, until: sight.position, on: connection)
    }

    /// Checks that a query may be asked at all.
    func requireIndex(
        _ query: Query, _ request: DataRequest, in state: State
    ) throws(RESTError) {
        do throws(Refusal) {
            try state.requireIndex(for: query, at: request.call.location.path)
        } catch {
            throw RESTError(error)
        }
    }

    /// Has a worker find a window for which many children must be sorted, and an index made for the next one.
    private func sort(
        _ request: DataRequest, _ sight: Sight, _ reply: RESTReply, on connection: Connection
    ) {
        request.namespace.demandIndex(for: request.view, services)
        connection.incoming = .blocked
        let (token, mailbox) = (connection.token, mailbox)
        services.workers.run {
            let result = request.value(in: sight.state)
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    do throws(RESTError) {
                        let value = try result.get()
                        try loop.answer(request, value, reply, until: sight.position, on: connection)
                    } catch {
                        loop.refuse(connection, request, error)
                    }
                })
        }
    }
}

extension Priority {
    /// The priority as a value of its own.
    var node: Node {
        switch self {
        case .none: .empty
        case .number(let number): Node(Leaf(number: number))
        case .string(let text): Node(.string(text))
        }
    }
}
