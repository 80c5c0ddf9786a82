// A client's listens, and the copies that it keeps for them as the SDKs do.
import HearthCore
import HearthSync
import HearthTesting

/// All listens of a client. Plain ones lie beside each other; what they are told reaches windows too.
struct Listens {
    private let name: String
    private(set) var all: [Listening]
    private var replica = Replica()

    init(_ identity: Identity, _ questions: [(path: [String], window: Window?)]) {
        name = identity.name
        all = questions.enumerated().map { index, question in
            Listening(
                identity, path: question.path, window: question.window,
                tag: question.window.map { _ in Int64(index) + 1 })
        }
        for listen in all { keepCopy(of: listen) }
    }

    private mutating func keepCopy(of listen: Listening) {
        replica.listen(to: listen.view.path, query: listen.view.query, tag: listen.tag)
    }

    /// Forgets what it holds for a listen.
    mutating func forget(_ index: Int) {
        replica.unlisten(from: all[index].view.path, tag: all[index].tag)
        keepCopy(of: all[index])
    }

    /// A listen is asked for.
    ///
    /// - Returns: the hash of the copy that the client holds.
    mutating func ask(_ index: Int, _ known: Int64) throws(Violation) -> String {
        _ = try look(at: index)
        all[index].phase = .asked(known: known, hasValue: false)
        all[index].asked = (all[index].node, all[index].value)
        all[index].disturbanceCount = 0
        return replica.hash(of: all[index].view.path, tag: all[index].tag)
    }

    /// The end of a listen is asked for.
    mutating func beginEnding(_ index: Int) { all[index].phase = .ending }

    /// A listen is over.
    mutating func end(_ index: Int) { all[index].phase = .off }

    /// The session is over.
    mutating func endAll() {
        for index in all.indices { all[index].phase = .off }
    }

    /// Looks at a copy again.
    ///
    /// - Returns: whether it has changed.
    private mutating func look(at index: Int) throws(Violation) -> Bool {
        let node = replica.value(of: all[index].view.path, tag: all[index].tag)
        guard node != all[index].node else { return false }
        guard let value = Value(json: NodeSerializer.bytes(of: node)) else {
            throw Violation("\(name): holds what nobody has written at \(address(all[index].path))")
        }
        all[index].node = node
        all[index].value = value
        return true
    }
}

// MARK: What it is told

extension Listens {
    /// Takes a push: an overwrite, or the places of a merge.
    mutating func take(
        _ action: String, _ body: Value, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        let tag: Int64? = if case .number(let tag) = body["t"] { Int64(tag) } else { nil }
        let place = (body["p"].string ?? "").split(separator: "/").map(String.init)
        let owner = try listen(for: place, tag)
        if case .asked(_, hasValue: false) = all[owner].phase {
            guard place == all[owner].path, action == "d" else {
                throw Violation("\(name): a listen begins with a change and not with the value")
            }
        }
        try receive(try Listens.push(action, Path(place: place), body["d"]), tag)
        for index in all.indices { try see(index, isOwner: index == owner, &chronicle, durable) }
    }

    /// Whose push it is.
    private func listen(for place: [String], _ tag: Int64?) throws(Violation) -> Int {
        let index = all.firstIndex { !$0.isOff && $0.tag == tag && place.starts(with: $0.path) }
        guard let index else {
            throw Violation("\(name): a push for a listen that there is not: \(address(place)) (\(tag ?? 0))")
        }
        return index
    }

    private mutating func receive(_ push: Push, _ tag: Int64?) throws(Violation) {
        do throws(Replica.Fault) {
            try replica.receive(push, tag: tag)
        } catch {
            throw Violation("\(name): no SDK takes this push: \(error)")
        }
    }

    private static func push(_ action: String, _ path: Path, _ data: Value) throws(Violation) -> Push {
        guard action == "m" else { return .overwrite(path, .node(try data.node())) }
        var members: [Push.Member] = []
        for (name, value) in data.children.sorted(by: { $0.key < $1.key }) {
            let place = name.split(separator: "/").map(String.init)
            members.append(.init(path: Path(place: place), content: .node(try value.node())))
        }
        return .merge(path, members)
    }

    /// Holds what a push has done to a copy against what happened.
    private mutating func see(
        _ index: Int, isOwner: Bool, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        let hasChanged = try look(at: index)
        switch all[index].phase {
        case .asked(let known, hasValue: false) where isOwner:
            all[index].phase = .asked(known: known, hasValue: true)
            try all[index].heard.begin(with: all[index].value, since: known, &chronicle, durable)
        case .asked(_, hasValue: false):
            if hasChanged { all[index].disturbanceCount += 1 }
        case .asked, .live:
            if hasChanged { return try all[index].heard.take(all[index].value, &chronicle, durable) }
            guard !isOwner else {
                throw Violation("\(name): a push changes nothing of \(address(all[index].path))")
            }
        case .off, .ending: break
        }
    }

    /// The server has confirmed a listen: what the client holds is the value.
    mutating func confirm(
        _ index: Int, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard case .asked(let known, let hasValue) = all[index].phase else { return }
        all[index].phase = .live
        replica.complete(all[index].view.path, tag: all[index].tag)
        _ = try look(at: index)
        guard !hasValue else { return }
        // A child that another listen was told of may have displaced one and have gone again, since the copy
        // was named: then the SDKs' copy lacks the displaced one, whatever the server says.
        if all[index].disturbanceCount > 1, all[index].value != all[index].asked.value {
            forget(index)
            try receive(.overwrite(all[index].view.path, .node(all[index].asked.node)), all[index].tag)
            _ = try look(at: index)
        }
        try all[index].heard.begin(with: all[index].value, since: known, &chronicle, durable)
    }

    /// The server has taken a listen away.
    mutating func cancel(_ index: Int) {
        // Its request may still have to be answered.
        if case .asked = all[index].phase { all[index].phase = .ending } else { all[index].phase = .off }
    }

    /// A write of this client was replied to: what it has changed was told before.
    mutating func noteReply(_ revision: Int64, _ chronicle: Chronicle) throws(Violation) {
        for index in all.indices {
            // Of what it may no longer read it is not told; that it may not comes later.
            let heard = all[index].heard
            guard case .live = all[index].phase,
                heard.isAdministrator
                    || !chronicle.couldBeDenied(reading: heard.path, since: heard.revision)
                        && !chronicle.mayBecomeDenied(reading: heard.path)
            else { continue }
            try all[index].heard.noteReply(to: revision, chronicle)
        }
    }

    /// Whether a copy is what a fresh query gives, and all that led there was heard.
    mutating func isUpToDate(_ index: Int, _ chronicle: Chronicle) -> Bool {
        all[index].heard.isUpToDate(all[index].value, chronicle)
    }
}

extension Value {
    /// The same for the server's own code.
    func node() throws(Violation) -> Node {
        do throws(DraftError) {
            return try DraftReader.draft(Array(json.utf8)).node
        } catch {
            throw Violation("no value: \(summary)")
        }
    }
}
