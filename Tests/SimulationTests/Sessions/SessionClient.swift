// A client of the realtime protocol as the SDKs are: it keeps what it was told, comes back after a cut, and
// says by hashes what it has.
import HearthCore
import HearthSync
import HearthTesting
import HearthWire

/// Listens, writes, leaves something for its end, is cut, and comes back.
final class SessionClient: Client {
    /// Something it listens to, as long as it lives.
    struct Listen {
        let place: [String]
        let view: View
        let tag: Int64?
        /// Whether it was answered in this session.
        var isAnswered = false
        var sighting: Sighting
        /// What it would show at each revision that was looked at, 0 first.
        var values: [Value] = []
    }

    /// What a reply is expected for.
    private enum Request {
        case listen(Int)
        case register
        case cancel
        case write(Operation)
        /// A read, and the newest revision that anybody was told of when it was asked for.
        case get([String], known: Int64)
    }

    let name: String
    private var random: SeededRandom
    private(set) var listens: [Listen]
    private var replica = Replica()
    private var line: (any SessionLine)?
    /// What the server called its last session; nil before there was one.
    private var sessionName: String?
    private var isGreeted = false
    private var isCalmingDown = false
    private var requests: [Int: Request] = [:]
    private var lastNumber = 0
    private var writeCount = 0
    /// The session of each write.
    private var sessions: [String: Int] = [:]
    /// What each session has left, the present one last.
    private(set) var legacies: [Legacy] = []
    private(set) var pushCount = 0

    init(_ name: String, listens: [(place: [String], query: Query, tag: Int64?)], _ random: SeededRandom) {
        self.name = name
        self.random = random
        self.listens = listens.map { place, query, tag in
            let view = View(path: SessionClient.path(place), query: query)
            let sighting = Sighting("\(name) at \(address(place)) (\(tag ?? 0))")
            return Listen(place: place, view: view, tag: tag, sighting: sighting)
        }
        for listen in self.listens {
            replica.listen(to: listen.view.path, query: listen.view.query, tag: listen.tag)
        }
    }

    static func path(_ place: [String]) -> Path {
        do throws(KeyError) {
            return try Path(address(place))
        } catch {
            preconditionFailure("the simulation names places that can be named: \(error)")
        }
    }

    func calmDown() { isCalmingDown = true }

    var isCalm: Bool { isGreeted && requests.isEmpty }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if line == nil { connect(surroundings) }
        guard let line else { return }
        guard let messages = try line.hear(surroundings) else { return lose() }
        for message in messages { try take(message, surroundings) }
        if line.silence > 400 { return leave(.silence, surroundings) }
        guard !isCalmingDown else { return }
        if random.oneIn(150) {
            leave(Departure.allCases.randomElement(using: &random) ?? .reset, surroundings)
        } else if isGreeted, requests.count < 4, random.oneIn(3) {
            try ask(surroundings)
        }
    }

    private func connect(_ surroundings: any Surroundings) {
        var parameters = "v=5&ns=default"
        // Now and then it has forgotten; then the server must notice by itself.
        if let sessionName, !random.oneIn(4) { parameters += "&ls=\(sessionName)" }
        if random.oneIn(2) {
            line = PollingLine(parameters: parameters)
        } else {
            guard let wire = surroundings.connect()?.wire else { return }
            line = SocketLine(wire, parameters: parameters)
        }
        legacies.append(Legacy(of: name, session: legacies.count))
    }

    private func leave(_ departure: Departure, _ surroundings: any Surroundings) {
        surroundings.trace("\(name) leaves: \(departure)")
        line?.leave(departure)
        lose()
    }

    private func lose() {
        line = nil
        isGreeted = false
        requests = [:]
        for index in listens.indices {
            listens[index].isAnswered = false
            // A crash may have taken some of these revisions.
            listens[index].values = []
        }
    }
}

// MARK: What it asks

extension SessionClient {
    private func say(_ action: String, _ body: String, _ request: Request) {
        lastNumber += 1
        requests[lastNumber] = request
        line?.say(#"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#)
    }

    /// Listens to everything, and says what is to be written when it is gone.
    private func begin(_ surroundings: any Surroundings) throws(Violation) {
        for (index, listen) in listens.enumerated() {
            let hash = replica.hash(of: listen.view.path, tag: listen.tag)
            var body = #"{"p":"\#(address(listen.place))","h":"\#(hash)""#
            if let tag = listen.tag {
                let query = String(decoding: RealtimeQuery(listen.view.query).text, as: UTF8.self)
                body += #","q":\#(query),"t":\#(tag)"#
            }
            say("q", body + "}", .listen(index))
        }
        let last = legacies.count - 1
        try note([legacies[last].whole, legacies[last].rest], surroundings)
        legacies[last].registration = .asked
        guard case .patch(_, let changes) = legacies[last].whole else { return }
        say("om", #"{"p":"/","d":\#(SessionClient.json(changes))}"#, .register)
    }

    private func note(_ operations: [Operation], _ surroundings: any Surroundings) throws(Violation) {
        try surroundings.withChronicle("default") { chronicle in
            for operation in operations { chronicle.noteSending(operation, asAdministrator: false) }
        }
    }

    private static func json(_ members: [String: Value]) -> String {
        let texts = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.json)" }
        return "{\(texts.joined(separator: ","))}"
    }

    private func ask(_ surroundings: any Surroundings) throws(Violation) {
        let last = legacies.count - 1
        if legacies[last].cancellation == .unasked, random.oneIn(12) {
            legacies[last].cancellation = .asked
            return say(
                "oc", #"{"p":"\#(legacies[last].cancelledPlace(of: name))","d":null}"#, .cancel)
        }
        if random.oneIn(6) {
            let place = ["rooms", random.oneIn(2) ? "a" : "b", "messages"]
            let known = try surroundings.withChronicle("default") { $0.told }
            return say("g", #"{"p":"\#(address(place))","q":{}}"#, .get(place, known: known))
        }
        let operation = operation()
        surroundings.trace("\(name) asks \(operation.summary)")
        try note([operation], surroundings)
        sessions[operation.signature] = last
        switch operation {
        case .patch(let base, let changes):
            say(
                "m", #"{"p":"\#(address(base))","d":\#(SessionClient.json(changes))}"#,
                .write(operation))
        case .put(let path, let value):
            say("p", #"{"p":"\#(address(path))","d":\#(value.json)}"#, .write(operation))
        case .push, .increment, .stamp, .rules: preconditionFailure("clients of sessions ask for no such")
        }
    }

    private func operation() -> Operation {
        let messages = ["rooms", random.oneIn(3) ? "b" : "a", "messages"]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .put(messages, .object(["m1": message(), "m4": message()]))
        case 1, 2:
            var changes: [String: Value] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changes[randomName()] = random.oneIn(3) ? .null : message()
            }
            changes["m\(Int.random(in: 5..<7, using: &random))"] = message()
            return .patch(messages, changes)
        default: return .put(messages + [randomName()], message())
        }
    }

    private func randomName() -> String { "m\(Int.random(in: 0..<5, using: &random))" }

    /// A message that nobody else ever writes.
    private func message() -> Value {
        writeCount += 1
        let length = random.oneIn(10) ? Int.random(in: 100...2_000, using: &random) : 4
        let text = "\(name)-\(writeCount) " + String(repeating: "~", count: length)
        return .object([
            "text": .text(text), "number": .number(Int.random(in: 0..<6, using: &random)),
        ])
    }
}

// MARK: What it is told

extension SessionClient {
    private func take(_ message: Value, _ surroundings: any Surroundings) throws(Violation) {
        let content = message["d"]
        guard message["t"] == .text("d") else { return try takeControl(content, surroundings) }
        if case .number(let number) = content["r"] {
            try takeReply(to: number, content["b"], surroundings)
        } else {
            try takePush(content, surroundings)
        }
    }

    private func takeControl(_ content: Value, _ surroundings: any Surroundings) throws(Violation) {
        guard content["t"] == .text("h"), !isGreeted, let session = content["d"]["s"].string else {
            throw Violation("\(name): was told \(content.summary)")
        }
        surroundings.trace("\(name) has session \(legacies.count - 1)")
        isGreeted = true
        sessionName = session
        try begin(surroundings)
    }

    private func takeReply(
        to number: Int, _ body: Value, _ surroundings: any Surroundings
    ) throws(Violation) {
        guard let request = requests.removeValue(forKey: number), body["s"] == .text("ok") else {
            throw Violation("\(name): is told \(body.summary) to \(number)")
        }
        let last = legacies.count - 1
        switch request {
        case .register: legacies[last].registration = .done
        case .cancel: legacies[last].cancellation = .done
        case .listen(let index): try complete(index, surroundings)
        case .get(let place, let known):
            let (value, durable) = (body["d"], surroundings.durable)
            try surroundings.withChronicle("default") { chronicle throws(Violation) in
                let newest = (known...chronicle.revision).first { chronicle.tree(at: $0)[place] == value }
                guard let newest else {
                    throw Violation(
                        "\(name): read \(address(place)) as it was before \(known): \(value.summary)")
                }
                try chronicle.check(newest, durable)
            }
        case .write(let operation):
            surroundings.trace("\(name) is told that \(operation.summary) is done")
            let durable = surroundings.durable
            try surroundings.withChronicle("default") { chronicle throws(Violation) in
                let revision = try chronicle.noteAcknowledged(operation, durable: durable)
                for index in listens.indices where listens[index].isAnswered {
                    let values = try values(of: index, chronicle)
                    try listens[index].sighting.noteReply(revision, values)
                }
            }
        }
    }

    private func complete(_ index: Int, _ surroundings: any Surroundings) throws(Violation) {
        let (listen, durable) = (listens[index], surroundings.durable)
        replica.complete(listen.view.path, tag: listen.tag)
        listens[index].isAnswered = true
        let value = try value(of: listen)
        try surroundings.withChronicle("default") { chronicle throws(Violation) in
            let values = try values(of: index, chronicle)
            try listens[index].sighting.begin(value, values, &chronicle, durable)
        }
    }

    /// What a listen would show at each revision.
    private func values(of index: Int, _ chronicle: Chronicle) throws(Violation) -> [Value] {
        let listen = listens[index]
        guard listen.tag != nil else { return chronicle.trees.map { $0[listen.place] } }
        var values = Array(listen.values.prefix(chronicle.trees.count))
        for tree in chronicle.trees.dropFirst(values.count) {
            let node = try SessionClient.value(of: listen.view, in: State(root: try SessionClient.node(tree)))
            values.append(Value(json: NodeSerializer.bytes(of: node)) ?? .null)
        }
        listens[index].values = values
        return values
    }

    private static func value(of view: View, in state: State) throws(Violation) -> Node {
        do throws(Refusal) {
            return try view.value(in: state)
        } catch {
            throw Violation("no query: \(error)")
        }
    }

    /// What it sees at a place.
    private func value(of listen: Listen) throws(Violation) -> Value {
        let node = replica.value(of: listen.view.path, tag: listen.tag)
        guard let value = Value(json: NodeSerializer.bytes(of: node)) else {
            throw Violation("\(name): holds what nobody has written at \(address(listen.place))")
        }
        return value
    }

    private func takePush(_ content: Value, _ surroundings: any Surroundings) throws(Violation) {
        pushCount += 1
        let before = try listens.map { listen throws(Violation) in try value(of: listen) }
        var tag: Int64?
        if case .number(let number) = content["b"]["t"] { tag = Int64(number) }
        try receive(try push(content), tag: tag)
        surroundings.trace("\(name) is told of \(content["b"]["p"].summary) (\(tag ?? 0))")
        let durable = surroundings.durable
        for index in listens.indices where listens[index].isAnswered {
            let value = try value(of: listens[index])
            guard value != before[index] else { continue }
            try surroundings.withChronicle("default") { chronicle throws(Violation) in
                let values = try values(of: index, chronicle)
                try listens[index].sighting.move(to: value, values, &chronicle, durable)
            }
        }
    }

    private func receive(_ push: Push, tag: Int64?) throws(Violation) {
        do throws(Replica.Fault) {
            try replica.receive(push, tag: tag)
        } catch {
            throw Violation("\(name): no SDK takes this push: \(error)")
        }
    }

    private func push(_ content: Value) throws(Violation) -> Push {
        let (path, data) = (try path(content["b"]["p"].string ?? ""), content["b"]["d"])
        switch content["a"].string {
        case "d": return .overwrite(path, .node(try node(data)))
        case "m":
            var members: [Push.Member] = []
            for (name, value) in data.children {
                members.append(.init(path: try self.path(name), content: .node(try node(value))))
            }
            return .merge(path, members)
        default: throw Violation("\(name): is told \(content.summary)")
        }
    }

    private func path(_ text: String) throws(Violation) -> Path {
        do throws(KeyError) {
            return try Path(text)
        } catch {
            throw Violation("\(name): no path: \(text)")
        }
    }

    private func node(_ value: Value) throws(Violation) -> Node {
        try SessionClient.node(value)
    }

    /// The node of a value.
    static func node(_ value: Value) throws(Violation) -> Node {
        do throws(DraftError) {
            return try DraftReader.draft(Array(value.json.utf8)).node
        } catch {
            throw Violation("no value: \(value.summary)")
        }
    }
}

// MARK: What must be so in the end

extension SessionClient {
    /// Whether its copies are what a fresh query gives, and its old sessions have left what they had to.
    func isSettled(_ chronicle: Chronicle) throws(Violation) -> Bool {
        guard isCalm, legacies.dropLast().allSatisfy({ $0.isWritten(chronicle) }) else { return false }
        let state = State(root: try node(chronicle.tree(at: chronicle.revision)))
        for listen in listens {
            let copy = replica.value(of: listen.view.path, tag: listen.tag)
            guard listen.isAnswered, try copy == SessionClient.value(of: listen.view, in: state) else {
                return false
            }
        }
        return true
    }

    /// Expects that each session has left exactly once what it had to, and that nothing it asked for was done
    /// after that.
    func checkSessions(_ chronicle: Chronicle) throws(Violation) {
        for legacy in legacies where !legacy.isWritten(chronicle) {
            throw Violation(
                "\(name): session \(legacy.session) (\(legacy.registration), \(legacy.cancellation)) has "
                    + "left all \(chronicle.count(of: legacy.whole)) times, and what was not cancelled "
                    + "\(chronicle.count(of: legacy.rest)) times")
        }
        var ends: [String: Int] = [:]
        for legacy in legacies {
            ends[legacy.whole.signature] = legacy.session
            ends[legacy.rest.signature] = legacy.session
        }
        var ended: Set<Int> = []
        for entry in chronicle.entries {
            if let session = ends[entry.signature] { ended.insert(session) }
            guard let session = sessions[entry.signature], ended.contains(session) else { continue }
            throw Violation("\(name): session \(session) has written after its end: \(entry.signature)")
        }
    }
}
