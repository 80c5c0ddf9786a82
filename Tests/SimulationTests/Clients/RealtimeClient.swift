// A client of the realtime protocol, by WebSocket, by long polls or from polls to a WebSocket: it listens,
// writes, reads, leaves something to be written when it has gone, is cut, and comes back.
import HearthCore
import HearthTesting
import HearthWire

/// One client with one session after the other.
final class RealtimeClient: Client {
    /// A request that is not answered.
    private enum Question {
        case signIn
        case listen(Int)
        case unlisten(Int)
        case get([String], Window?)
        /// A write, with the value that must be there for it to be done.
        case write(Operation, expecting: Value?)
        case leave(Leaving)
    }

    private let identity: Identity
    private var random: SeededRandom
    private var repertoire: Repertoire
    private var line: (any SessionLine)?
    /// What the server calls its session, once it has said so, and the one before.
    private(set) var session: String?
    private var lastSession: String?
    /// The session before, if this one has named it and nothing was done in this one yet.
    private var sessionBefore: String?
    private var listens: Listens
    private var open: [(number: Int, question: Question, known: Int64)] = []
    private var number = 0
    /// How many pings are not answered.
    private var pingCount = 0
    private var isCalmingDown = false
    /// The newest revision that this session was certainly told of.
    private var sessionRevision: Int64 = 0
    /// What was read, and can be expected to be still there.
    private var seen: (path: [String], value: Value)?
    private(set) var acknowledgedCount = 0
    private(set) var pushCount = 0
    private(set) var sessionCount = 0
    private var pastCrossingCount = 0

    init(_ identity: Identity, _ questions: [(path: [String], window: Window?)], _ random: SeededRandom) {
        self.identity = identity
        self.random = random
        repertoire = Repertoire(name: identity.name, self.random.branch())
        listens = Listens(identity, questions)
    }

    var name: String { identity.name }
    var namespace: String { identity.namespace }
    var isCalm: Bool { open.isEmpty }
    /// How often it has gone over from polls to a WebSocket.
    var crossingCount: Int { pastCrossingCount + (line?.hasGoneOver ?? false ? 1 : 0) }

    func calmDown() { isCalmingDown = true }

    /// Whether nothing is owed to it: it listens to everything that it may, has heard all of it, and holds
    /// what a fresh query gives.
    func isAtRest(_ chronicle: Chronicle) -> Bool {
        guard session != nil, open.isEmpty else { return false }
        return listens.all.indices.allSatisfy { index in
            let listen = listens.all[index]
            if listen.isOff { return !mayRead(listen.path, chronicle) }
            return listen.isLive && listens.isUpToDate(index, chronicle)
        }
    }

    private func mayRead(_ path: [String], _ chronicle: Chronicle) -> Bool {
        identity.isAdministrator || chronicle.allowsReading(path, at: chronicle.revision)
    }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if line == nil { connect(surroundings) }
        guard let line else { return }
        guard let messages = try line.hear(surroundings) else { return lose() }
        for message in messages { try take(message, surroundings) }
        if line.silence > 400 { return leave(.silence, surroundings) }
        if !isCalmingDown, random.oneIn(80) {
            return leave(Departure.allCases.randomElement(using: &random) ?? .reset, surroundings)
        }
        guard session != nil else { return }
        if isCalmingDown {
            try listenToAll(surroundings)
        } else if open.count < 4, random.oneIn(2) {
            try ask(choose(), surroundings)
        }
    }

    private func connect(_ surroundings: any Surroundings) {
        let parameters = "v=5&ns=\(identity.namespace)"
        // Now and then it has forgotten its last session; then the server must notice its end by itself.
        sessionBefore = random.oneIn(3) ? nil : lastSession
        let last = sessionBefore.map { "&ls=\($0)" } ?? ""
        switch Int.random(in: 0..<4, using: &random) {
        case 0: line = PollingLine(parameters: parameters + last)
        case 1:
            line = CrossingLine(
                parameters: parameters, after: last, patience: Int.random(in: 0..<20, using: &random))
        default:
            line = surroundings.connect().map { SocketLine($0.wire, parameters: parameters + last) }
        }
    }

    private func leave(_ departure: Departure, _ surroundings: any Surroundings) {
        surroundings.trace("\(name) leaves: \(departure)")
        line?.leave(departure)
        lose()
    }

    private func lose() {
        pastCrossingCount = crossingCount
        line = nil
        lastSession = session ?? lastSession
        session = nil
        open = []
        pingCount = 0
        sessionRevision = 0
        seen = nil
        listens.endAll()
    }
}

// MARK: What it asks

extension RealtimeClient {
    /// Begins a session: as SDKs do with everything at once, or with what it thinks of bit by bit.
    private func begin(_ surroundings: any Surroundings) throws(Violation) {
        if identity.isAdministrator { try ask(.signIn, surroundings) }
        guard !random.oneIn(4) else { return }
        for index in listens.all.indices { try ask(.listen(index), surroundings) }
        try ask(.leave(repertoire.leaving()), surroundings)
    }

    /// Listens to what it does not listen to and may read.
    private func listenToAll(_ surroundings: any Surroundings) throws(Violation) {
        for (index, listen) in listens.all.enumerated() where listen.isOff {
            let mayRead = try surroundings.withChronicle(namespace) { (chronicle: inout Chronicle) -> Bool in
                self.mayRead(listen.path, chronicle)
            }
            if mayRead { try ask(.listen(index), surroundings) }
        }
    }

    private func choose() -> Question {
        if let index = listens.all.firstIndex(where: \.isOff), random.oneIn(2) { return .listen(index) }
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return .unlisten(Int.random(in: listens.all.indices, using: &random))
        case 1, 2: return .get(repertoire.readPath(), nil)
        case 3:
            return .get(
                ["rooms", repertoire.pick(["a", "b"]), repertoire.pick(["topic", "messages"])], nil)
        case 4: return .get(["rooms", "a", "messages", "m\(Int.random(in: 0..<5, using: &random))"], nil)
        case 5: return .get(["rooms", repertoire.pick(["a", "b"]), "messages"], repertoire.window())
        case 6, 7, 8: return .leave(repertoire.leaving())
        default:
            guard let seen else { return .write(operation(), expecting: nil) }
            self.seen = nil
            return .write(.put(seen.path, repertoire.value(at: seen.path)), expecting: seen.value)
        }
    }

    /// A write; clients name what they push themselves.
    private func operation() -> Operation {
        let operation = repertoire.operation()
        guard case .push(let path, let value) = operation else { return operation }
        number += 1
        return .put(path + ["\(name)n\(number)"], value)
    }

    private func ask(_ question: Question, _ surroundings: any Surroundings) throws(Violation) {
        let (session, isAdministrator) = (session ?? "", identity.isAdministrator)
        let known = try surroundings.withChronicle(namespace) { chronicle in
            switch question {
            case .write(let operation, _):
                chronicle.noteSending(operation, asAdministrator: isAdministrator, in: session)
            case .leave(let leaving):
                chronicle.noteSending(leaving, of: session, asAdministrator: isAdministrator)
            default: break
            }
            return chronicle.told
        }
        guard let message = try message(for: question, known) else { return }
        number += 1
        surroundings.trace("\(name) asks \(number): \(message.prefix(120))")
        open.append((number, question, known))
        line?.say(
            #"{"t":"d","d":{"r":\#(number),\#(message)}}"#,
            in: random.oneIn(6) ? Int.random(in: 2...4, using: &random) : 1)
        guard random.oneIn(20) else { return }
        pingCount += 1
        line?.say(control: "p")
    }

    /// The action and the body; nil if there is nothing to ask.
    private func message(for question: Question, _ known: Int64) throws(Violation) -> String? {
        switch question {
        case .signIn: return #""a":"gauth","b":{"cred":"\#(administratorToken)"}"#
        case .listen(let index):
            if random.oneIn(4) { listens.forget(index) }
            return try #""a":"q","b":{\#(listens.all[index].name),"h":"\#(listens.ask(index, known))"}"#
        case .unlisten(let index):
            guard listens.all[index].isLive else { return nil }
            listens.beginEnding(index)
            return #""a":"n","b":{\#(listens.all[index].name)}"#
        case .get(let path, let window):
            let query = window.map { String(decoding: RealtimeQuery($0.query).text, as: UTF8.self) } ?? "{}"
            return #""a":"g","b":{"p":"\#(address(path))","q":\#(query)}"#
        case .write(let operation, let expected):
            return RealtimeClient.text(of: operation, hash: try expected?.node().listenHash)
        case .leave(.set(let path, let value)):
            return #""a":"o","b":{"p":"\#(address(path))","d":\#(value.json)}"#
        case .leave(.update(let base, let changes)):
            return #""a":"om","b":{"p":"\#(address(base))","d":\#(Value.object(changes).json)}"#
        case .leave(.cancel(let path)): return #""a":"oc","b":{"p":"\#(address(path))","d":null}"#
        }
    }

    private static func text(of operation: Operation, hash: String?) -> String {
        let condition = hash.map { #","h":"\#($0)""# } ?? ""
        let (action, path, data) =
            switch operation {
            case .put(let path, let value), .push(let path, let value): ("p", path, value.json)
            case .patch(let path, let changes): ("m", path, Value.object(changes).json)
            case .increment(let path): ("p", path, #"{".sv":{"increment":1}}"#)
            case .stamp(let path): ("p", path, #"{".sv":"timestamp"}"#)
            case .rules: preconditionFailure("clients of the realtime protocol send no rules")
            }
        return #""a":"\#(action)","b":{"p":"\#(address(path))","d":\#(data)\#(condition)}"#
    }
}

// MARK: What it hears

extension RealtimeClient {
    private func take(_ message: Value, _ surroundings: any Surroundings) throws(Violation) {
        let body = message["d"]
        guard message["t"] == .text("d") else { return try takeControl(message, surroundings) }
        let durable = surroundings.durable
        if case .number(let number) = body["r"] {
            surroundings.trace("\(name) is told \(number): \(body["b"].summary)")
            return try take(number, body["b"], surroundings)
        }
        surroundings.trace("\(name) is pushed \(body.summary)")
        pushCount += 1
        try surroundings.withChronicle(namespace) { chronicle throws(Violation) in
            switch body["a"].string {
            case "d", "m":
                try listens.take(body["a"].string ?? "", body["b"], &chronicle, durable)
            case "c": try takeCancel(body["b"], chronicle)
            default: throw Violation("\(name): an unknown push: \(body.summary)")
            }
        }
    }

    private func takeControl(_ message: Value, _ surroundings: any Surroundings) throws(Violation) {
        let id = message["d"]["d"]["s"].string
        switch message.control {
        case "h" where session == nil && id != nil:
            session = id
            sessionCount += 1
            surroundings.trace("\(name) has the session \(id ?? "")")
            if let id, let line { surroundings.note(id, over: line) }
            try begin(surroundings)
        case "o" where pingCount > 0: pingCount -= 1
        default: throw Violation("\(name): an unexpected word: \(message.summary)")
        }
    }

    /// Takes that a listen is taken away.
    private func takeCancel(_ body: Value, _ chronicle: Chronicle) throws(Violation) {
        let place = (body["p"].string ?? "").split(separator: "/").map(String.init)
        let query = body["q"].items.first
        let index = listens.all.firstIndex { $0.path == place && $0.query == query }
        guard let index else { throw Violation("\(name): what it never listened to is taken away") }
        let listen = listens.all[index]
        guard !identity.isAdministrator,
            chronicle.couldBeDenied(reading: listen.path, since: listen.heard.revision)
        else { throw Violation("\(name): a listen is taken away without a reason") }
        listens.cancel(index)
    }

    private func take(
        _ number: Int, _ reply: Value, _ surroundings: any Surroundings
    ) throws(Violation) {
        guard let first = open.first, first.number == number else {
            throw Violation("\(name): a reply to \(number), waited for is \(open.first?.number ?? 0)")
        }
        open.removeFirst()
        let durable = surroundings.durable
        let status = reply["s"].string ?? ""
        let lacksRoom = surroundings.mayLackRoom
        try surroundings.withChronicle(namespace) { chronicle throws(Violation) in
            switch first.question {
            case .signIn, .unlisten:
                guard status == "ok" else { throw Violation("\(name): \(reply.summary)") }
                if case .unlisten(let index) = first.question { listens.end(index) }
            case .listen(let index): try take(status, ofListen: index, &chronicle, durable)
            case .get(let path, let window):
                guard try mayTake(status, path, first.known, chronicle) else { break }
                try take(reply["d"], path, window, first.known, &chronicle, durable)
            case .write(let operation, let expected):
                try take(status, of: operation, expected, first.known, &chronicle, durable)
            case .leave(let leaving):
                try take(status, of: leaving, first.known, &chronicle, durable)
            }
            if status == "ok", !lacksRoom { try checkSessionBefore(first.question, chronicle) }
        }
    }

    /// What the session before has left was written before anything is done in this one.
    private func checkSessionBefore(_ question: Question, _ chronicle: Chronicle) throws(Violation) {
        guard let before = sessionBefore else { return }
        switch question {
        case .write, .leave:
            sessionBefore = nil
            guard !(chronicle.leavings[before]?.isOwed ?? false) else {
                throw Violation("\(name): something is done before what \(before) left is written")
            }
        default: break
        }
    }

    private func take(
        _ status: String, ofListen index: Int, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard case .asked(let known, _) = listens.all[index].phase else { return listens.end(index) }
        if try mayTake(status, listens.all[index].path, known, chronicle) {
            try listens.confirm(index, &chronicle, durable)
        } else {
            listens.end(index)
        }
    }

    /// Whether what was asked to be read may be read; that it may not must be true.
    private func mayTake(
        _ status: String, _ path: [String], _ known: Int64, _ chronicle: Chronicle
    ) throws(Violation) -> Bool {
        switch status {
        case "ok": return true
        case "permission_denied":
            guard !identity.isAdministrator, chronicle.couldBeDenied(reading: path, since: known) else {
                throw Violation("\(name): denied to read \(address(path))")
            }
            return false
        default: throw Violation("\(name): \(status) for reading \(address(path))")
        }
    }

    private func take(
        _ value: Value, _ path: [String], _ window: Window?, _ known: Int64,
        _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        var heard = Heard(
            who: name, path: path, window: window, isAdministrator: identity.isAdministrator)
        try heard.begin(with: value, since: max(known, sessionRevision), &chronicle, durable)
        sessionRevision = max(sessionRevision, heard.revision)
        if path.last == "topic" || path.count == 4 { seen = (path, value) }
    }

    private func take(
        _ status: String, of operation: Operation, _ expected: Value?, _ known: Int64,
        _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard status == "ok" else {
            try chronicle.noteRefused(operation)
            return try judge(status, of: operation, expected, known, chronicle)
        }
        let revision = try chronicle.noteAcknowledged(
            operation, after: max(known, sessionRevision), durable: durable)
        acknowledgedCount += 1
        sessionRevision = max(sessionRevision, revision)
        if let expected, case .put(let path, _) = operation {
            let before = chronicle.tree(at: revision - 1)[path]
            guard before == expected else {
                throw Violation(
                    "\(name): a hash held for \(expected.summary), there was \(before.summary)")
            }
        }
        try listens.noteReply(revision, chronicle)
    }

    private func judge(
        _ status: String, of operation: Operation, _ expected: Value?, _ known: Int64, _ chronicle: Chronicle
    ) throws(Violation) {
        switch status {
        case "unavailable": break
        case "permission_denied":
            guard !identity.isAdministrator, chronicle.couldBeDenied(operation, since: known) else {
                throw Violation("\(name): denied what was always allowed: \(operation.summary)")
            }
        case "datastale":
            guard let expected, case .put(let path, _) = operation,
                (known...chronicle.revision).contains(where: { chronicle.tree(at: $0)[path] != expected })
            else { throw Violation("\(name): stale although nothing has changed: \(operation.summary)") }
        default: throw Violation("\(name): \(status) for \(operation.summary)")
        }
    }

    private func take(
        _ status: String, of leaving: Leaving, _ known: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard let session else { return }
        guard status == "ok" else {
            _ = chronicle.leavings[session]?.noteRefused()
            guard
                status == "unavailable"
                    || (status == "permission_denied" && !identity.isAdministrator
                        && chronicle.couldBeDenied(leaving, since: known))
            else { throw Violation("\(name): \(status) for: \(leaving.summary)") }
            return
        }
        try chronicle.leavings[session]?.noteDone(durable)
    }
}
