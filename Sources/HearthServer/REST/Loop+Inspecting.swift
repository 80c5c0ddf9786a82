// How the server is: for load balancers, and for the administrator.
import HearthCore
import HearthEngine
import HearthJSON
import HearthRules
import HearthWire
import Synchronization

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
        let json: [UInt8]
        switch name.hasSuffix(".json") ? String(name.dropLast(5)) : name {
        case "", "server": json = Inspection.json(services)
        case "denials": json = Inspection.denials(try inspected(request))
        case "coverage": json = Inspection.coverage(try inspected(request))
        default: throw .unknownAddress
        }
        respond(connection, until: 0) { request.reply.append(json: json, to: &$0) }
    }
}

extension Loop {
    private func inspected(_ request: AdminRequest) throws(RESTError) -> Namespace {
        guard let namespace = services.namespaces.find(request.namespaceName) else { throw .unknownNamespace }
        return namespace
    }
}

/// The server's counters as JSON.
enum Inspection {
    static func json(_ services: Services) -> [UInt8] {
        let metrics = services.metrics
        let counters: [(String, Int)] = [
            ("connections", metrics.connections.value), ("connectionLimit", services.connectionLimit),
            ("turnedAway", metrics.turnedAway.value), ("requests", metrics.requests.value),
            ("timedOut", metrics.timedOut.value),
            ("handshakesFailed", metrics.handshakesFailed.value), ("commits", metrics.commits.value),
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

extension Inspection {
    /// The last refusals of a namespace's rules, the newest first; no values.
    static func denials(_ namespace: Namespace) -> [UInt8] {
        let entries = namespace.denials.withLock { $0.newestFirst }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("denials")
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.key("time")
            writer.integer(entry.time)
            writer.key("operation")
            writer.string(entry.isWrite ? "write" : "read")
            writer.key("path")
            writer.string(entry.path.description)
            writer.key("rule")
            if let rule = entry.rule { writer.string(rule.title) } else { writer.null() }
            if let failure = entry.failure {
                writer.key("failure")
                writer.string(failure)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.take()
    }

    /// How often each rule in force was evaluated, and what it came to.
    static func coverage(_ namespace: Namespace) -> [UInt8] {
        let rules = namespace.newest()?.rules?.set
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("rules")
        writer.beginArray()
        for (reference, count) in zip(rules?.references ?? [], rules?.counts ?? []) {
            writer.beginObject()
            writer.key("rule")
            writer.string(reference.kind.rawValue)
            writer.key("place")
            writer.string(reference.place)
            writer.key("line")
            writer.integer(Int64(reference.line))
            for (name, value) in [
                ("true", count.satisfied), ("false", count.unsatisfied), ("failed", count.failed),
            ] {
                writer.key(name)
                writer.integer(Int64(value))
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.take()
    }
}
