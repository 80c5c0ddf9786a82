// A client that writes, and reads in between, and holds each answer against what happened.
import HearthTesting
import HearthWire

/// Writes all kinds of things, some of which it may not, some under a condition; several at once.
final class Writer: Client {
    /// What must still be there for a write to be done.
    private struct Condition {
        let tag: String
        let value: Value
    }

    /// A request that is not answered.
    private enum Request {
        case write(Operation, condition: Condition?)
        case read([String], tagged: Bool)
        case rules(Rules)
        case purge
    }

    private let identity: Identity
    private var random: SeededRandom
    private var repertoire: Repertoire
    private let mayUploadRules: Bool
    private let mayPurge: Bool
    private var line: Line?
    private var open: [(request: Request, known: Int64)] = []
    private var isCalmingDown = false
    /// The newest revision that this connection has told.
    private var lineRevision: Int64 = 0
    /// What was read with a tag and can be a condition.
    private var tagged: (path: [String], condition: Condition)?
    private(set) var acknowledgedCount = 0

    init(_ identity: Identity, mayUploadRules: Bool, mayPurge: Bool, _ random: SeededRandom) {
        self.identity = identity
        self.mayUploadRules = mayUploadRules
        self.mayPurge = mayPurge
        self.random = random
        repertoire = Repertoire(name: identity.name, self.random.branch())
    }

    var name: String { identity.name }
    var isCalm: Bool { open.isEmpty }

    func calmDown() { isCalmingDown = true }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if line == nil, !isCalmingDown {
            line = surroundings.connect()
            lineRevision = 0
        }
        guard let line else { return }
        for happening in try line.receive() {
            switch happening {
            case .answer(let answer): try take(answer, surroundings)
            case .ended: leave()
            case .begins, .bytes: throw Violation("\(name): an answer without end")
            }
        }
        guard self.line != nil else { return }
        if line.silence > 400, !open.isEmpty { return giveUp(line, surroundings) }
        if !isCalmingDown, open.count < 3, random.oneIn(2) { try ask(line, surroundings) }
    }

    private func leave() {
        line = nil
        open = []
    }

    private func giveUp(_ line: Line, _ surroundings: any Surroundings) {
        surroundings.trace("\(name) gives up")
        line.leave(silently: random.oneIn(2))
        leave()
    }
}

// MARK: What it asks

extension Writer {
    private func ask(_ line: Line, _ surroundings: any Surroundings) throws(Violation) {
        let request = choose()
        let isAdministrator = identity.isAdministrator
        let known = try surroundings.withChronicle(identity.namespace) { chronicle in
            switch request {
            case .write(let operation, _): chronicle.noteSending(operation, asAdministrator: isAdministrator)
            case .rules(let rules): chronicle.noteSending(.rules(rules), asAdministrator: isAdministrator)
            case .read, .purge: break
            }
            return chronicle.told
        }
        surroundings.trace("\(name) asks \(Writer.describe(request))")
        open.append((request, known))
        send(request, over: line)
    }

    private static func describe(_ request: Request) -> String {
        switch request {
        case .write(let operation, nil): operation.summary
        case .write(let operation, .some): "if unchanged, \(operation.summary)"
        case .read(let path, _): "get \(address(path))"
        case .rules(let rules): "rules \(rules.rawValue)"
        case .purge: "purge"
        }
    }

    private func choose() -> Request {
        if mayUploadRules, random.oneIn(15) { return .rules(Bool.random(using: &random) ? .open : .closed) }
        if mayPurge, random.oneIn(40) { return .purge }
        if random.oneIn(5) { return .read(repertoire.readPath(), tagged: random.oneIn(2)) }
        if let tagged, random.oneIn(3) {
            self.tagged = nil
            return .write(.put(tagged.path, repertoire.value(at: tagged.path)), condition: tagged.condition)
        }
        return .write(repertoire.operation(), condition: nil)
    }

    private func send(_ request: Request, over line: Line) {
        switch request {
        case .read(let path, let isTagged):
            line.ask(
                .get, identity.target(path), identity.headers + (isTagged ? ["X-Firebase-ETag: true"] : []))
        case .rules(let rules):
            line.ask(
                .put, "/.settings/rules.json?ns=\(identity.namespace)", identity.headers, body: rules.text)
        case .purge: line.ask(.post, "/.settings/purge.json", identity.headers, body: "")
        case .write(let operation, let condition): send(operation, condition, over: line)
        }
    }

    private func send(_ operation: Operation, _ condition: Condition?, over line: Line) {
        var headers = identity.headers
        if let condition { headers.append("if-match: \(condition.tag)") }
        switch operation {
        case .put(let path, .null): line.ask(.delete, identity.target(path), headers)
        case .put(let path, let value): line.ask(.put, identity.target(path), headers, body: value.json)
        case .push(let path, let value): line.ask(.post, identity.target(path), headers, body: value.json)
        case .patch(let path, let changes):
            let members = changes.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.json)" }
            line.ask(
                .patch, identity.target(path), headers, body: "{\(members.joined(separator: ","))}")
        case .increment(let path):
            line.ask(.put, identity.target(path), headers, body: #"{".sv":{"increment":1}}"#)
        case .stamp(let path):
            line.ask(.put, identity.target(path), headers, body: #"{".sv":"timestamp"}"#)
        case .rules: break
        }
    }
}

// MARK: What it is told

extension Writer {
    private func take(_ answer: Answer, _ surroundings: any Surroundings) throws(Violation) {
        guard !open.isEmpty else {
            guard answer.status == 408 else { throw Violation("\(name): an answer to nothing: \(answer)") }
            return
        }
        let (request, known) = open.removeFirst()
        surroundings.trace("\(name) is told \(answer.status) \(answer.headers["hearth-cursor"] ?? "")")
        let durable = surroundings.durable
        try surroundings.withChronicle(identity.namespace) { chronicle throws(Violation) in
            switch request {
            case .write(let operation, let condition):
                try take(answer, to: operation, condition?.value, known, &chronicle, durable)
            case .rules(let rules):
                if answer.status != 200 { try chronicle.noteRefused(.rules(rules)) }
            case .purge: break
            case .read(let path, let isTagged):
                try take(answer, path, isTagged, known, &chronicle, durable)
            }
        }
    }

    private func take(
        _ answer: Answer, to operation: Operation, _ expected: Value?, _ known: Int64,
        _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard answer.status == 200 else {
            try chronicle.noteRefused(operation)
            return try judgeRefusal(answer, of: operation, expected, known, &chronicle)
        }
        guard let revision = answer.revision(of: chronicle.epoch) else {
            throw Violation(
                "\(name): done without a cursor of the epoch \(chronicle.epoch): \(answer.headers)")
        }
        try chronicle.noteAcknowledged(
            operation, revision: revision, after: max(known, lineRevision), durable: durable)
        lineRevision = revision
        acknowledgedCount += 1
        guard let expected, case .put(let path, _) = operation else { return }
        let before = chronicle.tree(at: revision - 1)[path]
        guard before == expected else {
            throw Violation("\(name): a condition held for \(expected.summary), there was \(before.summary)")
        }
    }

    private func judgeRefusal(
        _ answer: Answer, of operation: Operation, _ expected: Value?, _ known: Int64,
        _ chronicle: inout Chronicle
    ) throws(Violation) {
        switch answer.status {
        case 408, 503: break
        case 412:
            guard let expected, Value(json: answer.body) != expected else {
                throw Violation("\(name): 412 although nothing has changed: \(operation.summary)")
            }
        case 401:
            guard !identity.isAdministrator, chronicle.couldBeDenied(operation, since: known) else {
                throw Violation("\(name): denied what was always allowed: \(operation.summary)")
            }
        default:
            throw Violation("\(name): \(answer.status) for \(operation.summary): \(answer.text)")
        }
    }

    private func take(
        _ answer: Answer, _ path: [String], _ isTagged: Bool, _ known: Int64,
        _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        switch answer.status {
        case 200: break
        case 408, 503: return
        case 401:
            guard !identity.isAdministrator, chronicle.couldBeDenied(reading: path, since: known) else {
                throw Violation("\(name): denied to read \(address(path))")
            }
            return
        default: throw Violation("\(name): \(answer.status) for get \(address(path)): \(answer.text)")
        }
        guard let revision = answer.revision(of: chronicle.epoch), let value = Value(json: answer.body) else {
            throw Violation("\(name): no value, or no cursor of the epoch \(chronicle.epoch): \(answer.text)")
        }
        try chronicle.check(revision, durable)
        guard revision >= max(known, lineRevision) else {
            throw Violation("\(name): read at \(revision), \(max(known, lineRevision)) was known before")
        }
        lineRevision = revision
        let tree = chronicle.tree(at: revision)
        guard value == tree[path] else {
            throw Violation(
                "\(name): \(address(path)) at \(revision) is \(tree[path].summary), read was \(value.summary)"
            )
        }
        guard identity.isAdministrator || chronicle.allowsReading(path, at: revision) else {
            throw Violation("\(name): read \(address(path)) at \(revision), which nobody may")
        }
        guard isTagged, let tag = answer.headers["etag"] else { return }
        try chronicle.check(tag, of: value)
        if path.count >= 2, path.last == "topic" { tagged = (path, Condition(tag: tag, value: value)) }
    }
}

extension Answer {
    /// The beginning of the body, for messages.
    var text: String { String(decoding: body.prefix(300), as: UTF8.self) }
}
