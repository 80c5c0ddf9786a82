// A client of the realtime protocol over a WebSocket: it listens, writes, reads, and leaves something to be
// written when it has gone.
import HearthTesting
import HearthWire

/// One client with one session after the other.
final class RealtimeClient: Client {
    /// A request that is not answered.
    private enum Question {
        case signIn
        case listen(Int)
        case unlisten(Int)
        case get([String])
        /// A write, with the value that must be there for it to be done.
        case write(Operation, expecting: Value?)
        case leave(Leaving)
    }

    private let identity: Identity
    private var random: SeededRandom
    private var repertoire: Repertoire
    private var channel: Channel?
    private var session: String?
    /// The session before, if this one has named it and nothing was done in this one yet.
    private var sessionBefore: String?
    private var lastSession: String?
    private var listens: [Listening]
    private var open: [(number: Int, question: Question, known: Int64)] = []
    private var number = 0
    private var isCalmingDown = false
    /// The newest revision that this session was certainly told of.
    private var sessionRevision: Int64 = 0
    /// What was read, and can be expected to be still there.
    private var seen: (path: [String], value: Value)?
    private(set) var acknowledgedCount = 0
    private(set) var pushCount = 0

    init(_ identity: Identity, path: [String], _ random: SeededRandom) {
        self.identity = identity
        self.random = random
        repertoire = Repertoire(name: identity.name, self.random.branch())
        listens = [
            Listening(identity, path: path, limit: nil),
            Listening(identity, path: ["rooms", repertoire.pick(["a", "b"]), "messages"], limit: 2),
        ]
    }

    var name: String { identity.name }
    var namespace: String { identity.namespace }
    var isCalm: Bool { open.isEmpty }

    func calmDown() { isCalmingDown = true }

    /// Whether nothing is owed to it: it listens to everything that it may, and has heard all of it.
    func isAtRest(_ chronicle: Chronicle) -> Bool {
        guard session != nil, open.isEmpty else { return false }
        return listens.allSatisfy { listen in
            switch listen.phase {
            case .off: !mayRead(listen.path, chronicle)
            case .asked, .ending: false
            case .live: listen.heard.hasHeard(of: chronicle.revision, chronicle)
            }
        }
    }

    private func mayRead(_ path: [String], _ chronicle: Chronicle) -> Bool {
        identity.isAdministrator || chronicle.allowsReading(path, at: chronicle.revision)
    }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if channel == nil {
            sessionBefore = random.oneIn(2) ? lastSession : nil
            channel = surroundings.connectRealtime(identity, after: sessionBefore)
        }
        guard let channel else { return }
        for arrival in try channel.receive() {
            switch arrival {
            case .message(let message): try take(message, channel, surroundings)
            case .refused(let status):
                guard status == 408 || status == 503 else {
                    throw Violation("\(name): no WebSocket: \(status)")
                }
                leave()
            case .ended: leave()
            }
        }
        guard self.channel === channel else { return }
        let isTired = channel.silence > (open.isEmpty && session != nil ? 1_500 : 400)
        if isTired || (!isCalmingDown && random.oneIn(60)) {
            channel.leave(silently: random.oneIn(2))
            surroundings.trace("\(name) leaves")
            return leave()
        }
        guard session != nil else { return }
        if isCalmingDown {
            try listenAgain(channel, surroundings)
        } else if open.count < 4, !random.oneIn(4) {
            try ask(choose(), over: channel, surroundings)
        }
    }

    private func leave() {
        channel = nil
        lastSession = session ?? lastSession
        session = nil
        open = []
        sessionRevision = 0
        seen = nil
        for index in listens.indices { listens[index].phase = .off }
    }

    /// Listens to what it does not listen to and may read.
    private func listenAgain(_ channel: Channel, _ surroundings: any Surroundings) throws(Violation) {
        for index in listens.indices {
            guard case .off = listens[index].phase else { continue }
            let path = listens[index].path
            let mayRead = try surroundings.withChronicle(namespace) { (chronicle: inout Chronicle) -> Bool in
                self.mayRead(path, chronicle)
            }
            if mayRead { try ask(.listen(index), over: channel, surroundings) }
        }
    }
}

// MARK: What it asks

extension RealtimeClient {
    private func choose() -> Question {
        if let index = listens.indices.first(where: {
            if case .off = listens[$0].phase { true } else { false }
        }),
            random.oneIn(2)
        {
            return .listen(index)
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .unlisten(Int.random(in: listens.indices, using: &random))
        case 1, 2: return .get(repertoire.readPath())
        case 3: return .get(["rooms", repertoire.pick(["a", "b"]), "topic"])
        case 4, 5, 6, 7: return .leave(repertoire.leaving())
        default:
            guard let seen else { return .write(operation(), expecting: nil) }
            self.seen = nil
            return .write(.put(seen.path, repertoire.token()), expecting: seen.value)
        }
    }

    /// A write; clients name what they push themselves.
    private func operation() -> Operation {
        let operation = repertoire.operation()
        guard case .push(let path, let value) = operation else { return operation }
        number += 1
        return .put(path + ["\(name)n\(number)"], value)
    }

    private func ask(
        _ question: Question, over channel: Channel, _ surroundings: any Surroundings
    ) throws(Violation) {
        let (session, isAdministrator) = (session ?? "", identity.isAdministrator)
        let known = try surroundings.withChronicle(namespace) { chronicle in
            switch question {
            case .write(let operation, _): chronicle.noteSending(operation, asAdministrator: isAdministrator)
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
        channel.say(
            "{\"t\":\"d\",\"d\":{\"r\":\(number),\(message)}}",
            in: random.oneIn(6) ? Int.random(in: 2...4, using: &random) : 1)
    }

    /// The action and the body; nil if there is nothing to ask.
    private func message(for question: Question, _ known: Int64) throws(Violation) -> String? {
        switch question {
        case .signIn: return "\"a\":\"gauth\",\"b\":{\"cred\":\"\(administratorToken)\"}"
        case .listen(let index):
            if random.oneIn(3) { listens[index].forget() }
            listens[index].phase = .asked(known: known, hasValue: false)
            return try "\"a\":\"q\",\"b\":{\(listens[index].name),\"h\":\"\(listens[index].hash())\"}"
        case .unlisten(let index):
            guard case .live = listens[index].phase else { return nil }
            listens[index].phase = .ending
            return "\"a\":\"n\",\"b\":{\(listens[index].name)}"
        case .get(let path): return "\"a\":\"g\",\"b\":{\"p\":\"\(address(path))\",\"q\":{}}"
        case .write(let operation, let expected):
            guard let expected else { return RealtimeClient.text(of: operation, hash: nil) }
            var holder = Listening(identity, path: [], limit: nil)
            holder.hold(expected)
            return try RealtimeClient.text(of: operation, hash: holder.hash())
        case .leave(.set(let path, let value)):
            return "\"a\":\"o\",\"b\":{\"p\":\"\(address(path))\",\"d\":\(value.json)}"
        case .leave(.update(let base, let changes)):
            return "\"a\":\"om\",\"b\":{\"p\":\"\(address(base))\",\"d\":\(Value.object(changes).json)}"
        case .leave(.cancel(let path)): return "\"a\":\"oc\",\"b\":{\"p\":\"\(address(path))\",\"d\":null}"
        }
    }

    private static func text(of operation: Operation, hash: String?) -> String {
        let condition = hash.map { ",\"h\":\"\($0)\"" } ?? ""
        let (action, path, data) =
            switch operation {
            case .put(let path, let value), .push(let path, let value): ("p", path, value.json)
            case .patch(let path, let changes): ("m", path, Value.object(changes).json)
            case .increment(let path): ("p", path, #"{".sv":{"increment":1}}"#)
            case .stamp(let path): ("p", path, #"{".sv":"timestamp"}"#)
            case .rules: ("s", [], "null")
            }
        return "\"a\":\"\(action)\",\"b\":{\"p\":\"\(address(path))\",\"d\":\(data)\(condition)}"
    }
}

// MARK: What it hears

extension RealtimeClient {
    private func take(
        _ message: Value, _ channel: Channel, _ surroundings: any Surroundings
    ) throws(Violation) {
        let body = message["d"]
        if message["t"].string == "c" {
            guard body["t"].string == "h", let id = body["d"]["s"].string else {
                throw Violation("\(name): an unexpected word: \(message.summary)")
            }
            session = id
            surroundings.trace("\(name) has the session \(id)")
            surroundings.note(id, of: channel)
            if identity.isAdministrator { try ask(.signIn, over: channel, surroundings) }
            return
        }
        let durable = surroundings.durable
        if case .number(let number) = body["r"] {
            surroundings.trace("\(name) is told \(number): \(body["b"].summary)")
            return try take(number, body["b"], surroundings)
        }
        surroundings.trace("\(name) is pushed \(body.summary)")
        pushCount += 1
        try surroundings.withChronicle(namespace) { chronicle throws(Violation) in
            try takePush(body["a"].string ?? "", body["b"], &chronicle, durable)
        }
    }

    private func takePush(
        _ action: String, _ push: Value, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        switch action {
        case "d", "m":
            let tag: Int? = if case .number(let tag) = push["t"] { tag } else { nil }
            guard let index = listens.firstIndex(where: { $0.tag == tag }) else {
                throw Violation("\(name): a push for a listen that there is not: \(push.summary)")
            }
            // It may have been sent before the server has heard of the end of the listen.
            if case .ending = listens[index].phase { return }
            try listens[index].take(push, isMerge: action == "m", &chronicle, durable)
        case "c":
            guard let index = listens.firstIndex(where: { ($0.limit == nil) == (push["q"] == .null) }) else {
                return
            }
            let listen = listens[index]
            guard !identity.isAdministrator,
                chronicle.couldBeDenied(reading: listen.path, since: listen.heard.revision)
            else { throw Violation("\(name): a listen is taken away without a reason") }
            // Its request is still to be answered.
            if case .asked = listen.phase {
                listens[index].phase = .ending
            } else {
                listens[index].phase = .off
            }
        default: throw Violation("\(name): an unknown push: \(action)")
        }
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
                if case .unlisten(let index) = first.question { listens[index].phase = .off }
            case .listen(let index): try take(status, ofListen: index, &chronicle, durable)
            case .get(let path):
                try take(status, reply["d"], at: path, first.known, &chronicle, durable)
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
            guard !chronicle.owedSessions.contains(before) else {
                throw Violation("\(name): something is done before what \(before) left is written")
            }
        default: break
        }
    }

    private func take(
        _ status: String, ofListen index: Int, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard case .asked(let known, _) = listens[index].phase else { return listens[index].phase = .off }
        switch status {
        case "ok": try listens[index].confirm(&chronicle, durable)
        case "permission_denied":
            listens[index].phase = .off
            try checkDenied(listens[index].path, since: known, chronicle)
        default: throw Violation("\(name): a listen to \(address(listens[index].path)): \(status)")
        }
    }

    private func checkDenied(
        _ path: [String], since known: Int64, _ chronicle: Chronicle
    ) throws(Violation) {
        guard !identity.isAdministrator, chronicle.couldBeDenied(reading: path, since: known) else {
            throw Violation("\(name): denied to read \(address(path))")
        }
    }

    private func take(
        _ status: String, _ value: Value, at path: [String], _ known: Int64,
        _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        switch status {
        case "permission_denied": return try checkDenied(path, since: known, chronicle)
        case "ok": break
        default: throw Violation("\(name): \(status) for a get of \(address(path))")
        }
        var heard = Heard(
            who: name, path: path, limit: nil, isAdministrator: identity.isAdministrator)
        try heard.begin(with: value, since: max(known, sessionRevision), &chronicle, durable)
        sessionRevision = max(sessionRevision, heard.revision)
        if path.last == "topic" { seen = (path, value) }
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
        for listen in listens {
            // Of what it may no longer read it is not told; that it may not comes later.
            guard case .live = listen.phase, !listen.heard.hasHeard(of: revision, chronicle),
                identity.isAdministrator
                    || !chronicle.couldBeDenied(reading: listen.path, since: listen.heard.revision)
            else { continue }
            throw Violation("\(name): the reply to \(operation.summary) comes before it is told of it")
        }
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
