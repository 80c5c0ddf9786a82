// Sessions that are cut at random: when they are back, every client sees what the database holds.
import Foundation
import HearthCore
import HearthSync
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

/// A client as the SDKs are: it keeps what it was told, comes back, and says by hashes what it has.
private final class ModelClient {
    /// What it listens to.
    struct Listen {
        let view: View
        let tag: Int64?
    }

    let name: String
    let listens: [Listen]
    private(set) var replica = Replica()
    private var socket: WebSocketClient
    private var session: String
    /// Sockets that were left open without a word, as when a network dies.
    private var abandoned: [WebSocketClient] = []
    private var lastRequest = 0

    init(_ name: String, listens: [Listen], on server: Server) throws {
        self.name = name
        self.listens = listens
        (socket, session) = try WebSocketClient.greeted(server)
        for listen in listens {
            replica.listen(to: listen.view.path, query: listen.view.query, tag: listen.tag)
        }
        try begin()
    }

    /// Comes back, with the name of its session of before or as if that were forgotten.
    func comeBack(to server: Server, naming: Bool) throws {
        let target = naming ? "/.ws?v=5&ls=\(session)" : "/.ws?v=5"
        (socket, session) = try WebSocketClient.greeted(server, target)
        try begin()
    }

    /// Goes away: the socket is closed.
    func vanish() {
        socket.vanish()
    }

    /// Goes away without the server's hearing of it.
    func fallSilent() {
        abandoned.append(socket)
    }

    private func begin() throws {
        for listen in listens {
            let hash = replica.hash(of: listen.view.path, tag: listen.tag)
            var body = #"{"p":"\#(listen.view.path)","h":"\#(hash)""#
            if let tag = listen.tag {
                let query = String(decoding: RealtimeQuery(listen.view.query).text, as: UTF8.self)
                body += #","q":\#(query),"t":\#(tag)"#
            }
            try ask("q", body + "}")
            replica.complete(listen.view.path, tag: listen.tag)
        }
        try ask("o", #"{"p":"/gone/\#(name)","d":{".sv":{"increment":1}}}"#)
    }

    /// Says something and takes in what comes up to the reply, which is a success.
    func ask(_ action: String, _ body: String) throws {
        let number = say(action, body)
        while true {
            let message = try #require(try socket.hear(), "the server has ended the session of \(name)")
            if try take(message) == number { return }
        }
    }

    /// Says something and does not wait.
    @discardableResult
    func say(_ action: String, _ body: String) -> Int {
        lastRequest += 1
        socket.say(#"{"t":"d","d":{"r":\#(lastRequest),"a":"\#(action)","b":\#(body)}}"#)
        return lastRequest
    }

    /// Takes a message in, and returns the number of the request that it replies to.
    private func take(_ text: String) throws -> Int? {
        let envelope = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let message = try #require(envelope["d"] as? [String: Any])
        let body = try #require(message["b"] as? [String: Any])
        if let number = message["r"] as? Int {
            #expect(body["s"] as? String == "ok", "\(text)")
            return number
        }
        let place = try #require(body["p"] as? String)
        let tag = (body["t"] as? Int).map(Int64.init)
        let data = try #require(body["d"])
        if message["a"] as? String == "m" {
            let members = try #require(data as? [String: Any]).map { try member($0.key, $0.value) }
            try replica.receive(.merge(try Path(place), members), tag: tag)
        } else {
            let member = try member(place, data)
            try replica.receive(.overwrite(member.path, member.content), tag: tag)
        }
        return nil
    }

    private func member(_ place: String, _ data: Any) throws -> Push.Member {
        let json = try JSONSerialization.data(withJSONObject: data, options: .fragmentsAllowed)
        let draft = try DraftReader.draft(Array(json))
        guard place.hasSuffix("/.priority") else {
            return .init(path: try Path(place), content: .node(draft.node))
        }
        let priority = Query.Value(of: draft.node)
        let path = try Path(String(place.dropLast("/.priority".count)))
        switch priority {
        case .leaf(.string(let text)): return .init(path: path, content: .priority(.string(text)))
        case .leaf(let leaf): return .init(path: path, content: .priority(.number(leaf.number ?? 0)))
        case .null, .object: return .init(path: path, content: .priority(.none))
        }
    }
}

@Suite("Sessions that are cut at random")
struct SessionModelTests {
    private struct Chance {
        var random: SeededRandom

        mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        mutating func key() -> String { ["a", "b", "n", "7", "10", "é"][int(0...5)] }

        /// JSON of a value, or of nothing.
        mutating func value(levels: Int) -> String {
            switch int(0...6) {
            case 0: return "null"
            case 1: return "\(int(0...4))"
            case 2: return "\"\(key())\""
            case 3: return #"{".value":\#(int(0...3)),".priority":\#(int(0...2))}"#
            default: break
            }
            guard levels > 0 else { return "true" }
            let keys = Set((0...int(0...3)).map { _ in key() }).sorted()
            return "{" + keys.map { "\"\($0)\":\(value(levels: levels - 1))" }.joined(separator: ",") + "}"
        }

        mutating func query() throws -> Query {
            let orders: [Query.Order] = [.key, .value, .priority, .child(try Path("n"))]
            var query = Query(order: orders[int(0...3)])
            if random.oneIn(3) {
                let isByKey = query.order == .key
                query.lower = .init(
                    value: isByKey ? .null : .leaf(.integer(Int64(int(0...3)))),
                    key: isByKey ? .before(try Key(key())) : .start)
            }
            query.limit = random.oneIn(2) ? .first(int(1...3)) : .last(int(1...3))
            return query
        }

        /// An action and its body: a put or a merge at or below /q.
        mutating func write() -> (action: String, body: String) {
            var place = "/q"
            for _ in 0..<int(0...2) { place += "/\(key())" }
            guard random.oneIn(3) else { return ("p", #"{"p":"\#(place)","d":\#(value(levels: 2))}"#) }
            let keys = Set((0...int(0...2)).map { _ in key() }).sorted()
            let members = keys.map { "\"\($0)\":\(value(levels: 1))" }.joined(separator: ",")
            return ("m", #"{"p":"\#(place)","d":{\#(members)}}"#)
        }
    }

    private func clients(_ chance: inout Chance, on server: Server) throws -> [ModelClient] {
        func plain(_ path: String) throws -> ModelClient.Listen {
            .init(view: View(path: try Path(path)), tag: nil)
        }
        func window(_ path: String, _ tag: Int64) throws -> ModelClient.Listen {
            .init(view: View(path: try Path(path), query: try chance.query()), tag: tag)
        }
        return [
            try ModelClient("ann", listens: [plain("/q")], on: server),
            try ModelClient(
                "bob", listens: [window("/q", 1), window("/q", 2), plain("/q/a"), plain("/q/n/b")],
                on: server),
            try ModelClient(
                "eve", listens: [window("/q/a", 4), window("/q/n", 5), plain("/q/b")], on: server),
        ]
    }

    private func state(_ server: Server) throws -> State {
        try #require(server.services.namespaces.find("default")?.newest()?.state)
    }

    /// Has every client hear all that was written before, and compares.
    private func expectEqual(_ clients: [ModelClient], _ server: Server) throws {
        // A reply comes behind the pushes of all that was committed before.
        for client in clients { try client.ask("p", #"{"p":"/heard/\#(client.name)","d":1}"#) }
        let state = try state(server)
        for client in clients {
            for listen in client.listens {
                let copy = client.replica.value(of: listen.view.path, tag: listen.tag)
                let fresh = try listen.view.value(in: state)
                #expect(copy == fresh, "\(client.name): \(listen.view)")
            }
        }
    }

    private func count(_ name: String, _ server: Server) throws -> Int {
        let leaf = try state(server).root.descendant(at: Path("/gone/\(name)")).leaf
        guard case .integer(let count)? = leaf else { return 0 }
        return Int(count)
    }

    /// Waits until the server has noticed that sessions have ended.
    private func awaitCounts(_ expected: [String: Int], _ server: Server) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try expected.contains(where: { try count($0.key, server) < $0.value }) {
            guard ContinuousClock.now < deadline else { break }
            usleep(2_000)
        }
        for (name, count) in expected { #expect(try self.count(name, server) == count, "\(name)") }
    }

    @Test("are whole again when they come back, and each has left exactly once what it left")
    func model() throws {
        var chance = Chance(random: SeededRandom(for: "sessions cut at random"))
        let directory = TemporaryDirectory()
        var configuration = Configuration()
        configuration.storage = .directory(directory.path)
        configuration.addresses = [.loopback4(port: 0)]
        configuration.loopCount = 2
        configuration.log = Log(threshold: .error)
        var server = try Server.start(configuration)
        defer { server.stop() }
        let clients = try clients(&chance, on: server)
        var ended: [String: Int] = [:]
        for round in 0..<24 {
            for _ in 0..<6 {
                let (action, body) = chance.write()
                try clients[chance.int(0...2)].ask(action, body)
            }
            try expectEqual(clients, server)
            if round % 8 == 7 {
                // The server ends, and with it every session.
                server.stop()
                server = try Server.start(configuration)
                for client in clients {
                    ended[client.name, default: 0] += 1
                    try client.comeBack(to: server, naming: chance.random.oneIn(2))
                }
            } else {
                let client = clients[chance.int(0...2)]
                let (action, body) = chance.write()
                client.say(action, body)
                let isSilent = chance.random.oneIn(3)
                if isSilent { client.fallSilent() } else { client.vanish() }
                for other in clients where other !== client {
                    let (action, body) = chance.write()
                    try other.ask(action, body)
                }
                ended[client.name, default: 0] += 1
                try client.comeBack(to: server, naming: isSilent || chance.random.oneIn(2))
            }
            try awaitCounts(ended, server)
            try expectEqual(clients, server)
        }
        server.stop()
        for client in clients { ended[client.name, default: 0] += 1 }
        server = try Server.start(configuration)
        try awaitCounts(ended, server)
    }
}
