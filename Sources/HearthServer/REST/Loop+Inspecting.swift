// How the server is: for load balancers, and for the administrator.
import HearthJSON
import HearthWire

extension Loop {
    /// Answers anybody whether the server is live and ready: 200, or 503 with the reason.
    func answerHealth(_ head: HTTPRequestHead, on connection: Connection) throws(RESTError) {
        guard head.method == .get || head.method == .head else { throw .badMethod }
        if let reason = services.vault?.journal.shortage {
            throw RESTError(status: 503, text: "Writes cannot be kept: \(reason)")
        }
        var reply = RESTReply(to: head)
        if isStopping { reply.keepsAlive = false }
        respond(connection, until: 0) { reply.append(json: RulesText.ok, to: &$0) }
    }

    /// Tells the administrator the server's counters.
    func answerInspection(
        _ name: String, _ head: HTTPRequestHead, on connection: Connection
    ) throws(RESTError) {
        let request = try adminRequest(head)
        guard request.method == .get || request.method == .head else { throw .badMethod }
        guard name.isEmpty || name == "server" || name == "server.json" else { throw .unknownAddress }
        let json = Inspection.json(services)
        respond(connection, until: 0) { request.reply.append(json: json, to: &$0) }
    }
}

/// The server's counters as JSON.
enum Inspection {
    static func json(_ services: Services) -> [UInt8] {
        let metrics = services.metrics
        let counters: [(String, Int)] = [
            ("connections", metrics.connections.value), ("connectionLimit", services.connectionLimit),
            ("turnedAway", metrics.turnedAway.value), ("requests", metrics.requests.value),
            ("timedOut", metrics.timedOut.value), ("commits", metrics.commits.value),
            ("flushes", metrics.flushes.value), ("subscriptions", metrics.subscriptions.value),
            ("streamsCut", metrics.streamsCut.value), ("namespaces", services.namespaces.count),
        ]
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in counters {
            writer.key(name)
            writer.integer(Int64(value))
        }
        writer.endObject()
        return writer.take()
    }
}
