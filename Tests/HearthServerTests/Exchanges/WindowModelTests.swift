// Random writes and queries: what streams and polls tell, put together, is what a fresh read gives.
import HearthCore
import HearthServer
import HearthTesting
import Testing

@Suite("Streams and polls of windows")
struct WindowModelTests {
    private static let place = "/rooms/lobby"
    private static let rules = """
        {"rules": {".read": true, ".write": true, "rooms": {"$room": {".indexOn": [".value", "n", "n/m"]}}}}
        """

    private let keys = ["a", "b", "c", "d", "n", "m", "1", "2", "10", "03"]

    private func key(_ random: inout SeededRandom) -> String {
        keys.randomElement(using: &random) ?? "a"
    }

    private func leaf(_ random: inout SeededRandom) -> String {
        ["0", "1", "2", "2.5", "\"\"", "\"a\"", "\"b\"", "true", "false"].randomElement(using: &random) ?? "1"
    }

    private func value(_ random: inout SeededRandom, levels: Int) -> String {
        guard levels > 0, !random.oneIn(3) else {
            guard random.oneIn(6) else { return leaf(&random) }
            return "{\".value\":\(leaf(&random)),\".priority\":\(Int.random(in: 0...2, using: &random))}"
        }
        let names = Set((0..<Int.random(in: 0...4, using: &random)).map { _ in key(&random) })
        var members = names.sorted().map { "\"\($0)\":\(value(&random, levels: levels - 1))" }
        if random.oneIn(6) { members.append("\".priority\":\(random.oneIn(2) ? "1" : "\"p\"")") }
        return "{\(members.joined(separator: ","))}"
    }

    /// A query's parameters, the order first; empty for none.
    private func query(_ random: inout SeededRandom) -> String {
        guard !random.oneIn(5) else { return "" }
        let order = ["$key", "$value", "$priority", "n", "n/m"].randomElement(using: &random) ?? "$key"
        var parts = ["orderBy=\"\(order)\""]
        func bound(_ random: inout SeededRandom) -> String {
            switch order {
            case "$key": "\"\(key(&random))\""
            case "$priority": ["0", "1", "\"p\"", "null"].randomElement(using: &random) ?? "1"
            default: leaf(&random)
            }
        }
        if random.oneIn(6) {
            parts.append("equalTo=\(bound(&random))")
        } else {
            if random.oneIn(3) {
                parts.append("\(random.oneIn(2) ? "startAt" : "startAfter")=\(bound(&random))")
            }
            if random.oneIn(3) {
                parts.append("\(random.oneIn(2) ? "endAt" : "endBefore")=\(bound(&random))")
            }
        }
        switch Int.random(in: 0...2, using: &random) {
        case 0: parts.append("limitToFirst=\(Int.random(in: 1...4, using: &random))")
        case 1: parts.append("limitToLast=\(Int.random(in: 1...4, using: &random))")
        default: break
        }
        return parts.joined(separator: "&").replacing("\"", with: "%22")
    }

    /// A write at, above or below the place; returns its revision.
    private func write(_ random: inout SeededRandom, _ client: TestClient) throws -> Revision {
        var target = random.oneIn(12) ? "/rooms" : Self.place
        if target == Self.place {
            for _ in 0..<Int.random(in: 0...2, using: &random) { target += "/" + key(&random) }
        }
        let reply: Reply
        switch Int.random(in: 0...9, using: &random) {
        case 0: reply = try client.ask("DELETE", "\(target).json")
        case 1: reply = try client.ask("POST", "\(target).json", body: value(&random, levels: 2))
        case 2...4:
            let names = Set((0..<Int.random(in: 1...4, using: &random)).map { _ in key(&random) })
            let members = names.sorted().map { name in
                let path = random.oneIn(3) ? "\(name)/n" : name
                return "\"\(path)\":\(random.oneIn(3) ? "null" : value(&random, levels: 1))"
            }
            reply = try client.ask("PATCH", "\(target).json", body: "{\(members.joined(separator: ","))}")
        case 5:
            reply = try client.ask(
                "PUT", "\(target)/.priority.json",
                body: random.oneIn(3) ? "null" : leaf(&random, isPriority: true))
        default: reply = try client.ask("PUT", "\(target).json", body: value(&random, levels: 3))
        }
        #expect(reply.status == 200, "\(target): \(reply)")
        return try #require(reply.headers["hearth-cursor"].flatMap { Cursor($0) }).revision
    }

    private func leaf(_ random: inout SeededRandom, isPriority: Bool) -> String {
        ["0", "1", "2", "\"p\""].randomElement(using: &random) ?? "0"
    }

    private func expect(_ follower: Follower, isWhatIsThere client: TestClient) throws {
        let mark = follower.query.isEmpty ? "" : "?\(follower.query)"
        let reply = try client.ask("GET", "\(follower.place).json\(mark)")
        #expect(reply.status == 200, "\(follower.name): \(reply)")
        let read = try DraftReader.draft(Array(reply.body.utf8)).node
        guard follower.form.tellsChildren else {
            #expect(text(follower.value) == text(read), "\(follower.name)")
            return
        }
        var told = Node.empty
        for (key, node) in follower.children { told.set(node, at: Path([key])) }
        // A value without children has no events of children.
        #expect(text(told) == (read.leaf == nil ? text(read) : "null"), "\(follower.name)")
        if follower.query.hasPrefix("orderBy=%22$key") {
            #expect(follower.order == told.children().map(\.key), "\(follower.name)")
        }
    }

    private func text(_ node: Node) -> String {
        String(decoding: NodeSerializer.bytes(of: node), as: UTF8.self)
    }

    @Test("add up to what a fresh read gives, however often they are cut and resumed")
    func random() throws {
        var random = SeededRandom(for: "windows over HTTP")
        try withServer {
            $0.timeouts.keepAlive = .milliseconds(5)
        } _: { server in
            let client = try TestClient(server)
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            #expect(try client.ask("PUT", "/.settings/rules.json", admin, body: Self.rules).status == 200)
            let partCounts = try (0..<4).map { _ in try follow(&random, client, server) }
            #expect(partCounts.contains { $0 > 0 }, "some were cut between what belongs together")
        }
    }

    private func follow(_ random: inout SeededRandom, _ client: TestClient, _ server: Server) throws -> Int {
        var followers: [Follower] = []
        for form in Follower.Form.allCases {
            followers.append(Follower(Self.place, "", form))
            for _ in 0..<4 { followers.append(Follower(Self.place, query(&random), form)) }
        }
        for _ in 0..<15 {
            var revision: Revision = 0
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                revision = try write(&random, client)
                for _ in 0..<4 {
                    let index = Int.random(in: followers.indices, using: &random)
                    let count = Int.random(in: 1...3, using: &random)
                    if random.oneIn(2) { try followers[index].hear(count, upTo: revision, server) }
                    if random.oneIn(2) { followers[index].cut() }
                }
            }
            for index in followers.indices {
                try followers[index].catchUp(to: revision, server)
                try expect(followers[index], isWhatIsThere: client)
            }
        }
        for follower in followers { #expect(follower.resyncCount == 0, "\(follower.name)") }
        return followers.reduce(0) { $0 + $1.partCount }
    }
}
