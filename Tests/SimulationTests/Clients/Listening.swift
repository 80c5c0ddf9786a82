// A client's listen: the value that it makes of what it is pushed.
import HearthCore

/// One listen of a realtime client, as the client knows it.
struct Listening {
    /// How far the listen is.
    enum Phase {
        case off
        /// Asked for when this revision was known; whether the value has come.
        case asked(known: Int64, hasValue: Bool)
        case live
        /// The client wants no more of it; the server may not know yet.
        case ending
    }

    let path: [String]
    /// How many of the last children it is for, and by which tag it goes; nil for the whole value.
    let limit: Int?
    var phase = Phase.off
    private(set) var value = Value.null
    private(set) var heard: Heard

    init(_ identity: Identity, path: [String], limit: Int?) {
        self.path = path
        self.limit = limit
        heard = Heard(
            who: identity.name, path: path, limit: limit, isAdministrator: identity.isAdministrator)
    }

    var tag: Int? { limit }

    /// The members that name it in a message.
    var name: String {
        guard let limit else { return "\"p\":\"\(address(path))\"" }
        return "\"p\":\"\(address(path))\",\"q\":{\"l\":\(limit),\"vf\":\"r\",\"i\":\".key\"},\"t\":\(limit)"
    }

    /// The hash of the value that the client holds.
    func hash() throws(Violation) -> String {
        if value == .null { return "" }
        do throws(DraftError) {
            return try DraftReader.draft(Array(value.json.utf8)).node.listenHash
        } catch {
            throw Violation("a value that is no JSON: \(error)")
        }
    }

    /// Forgets the value.
    mutating func forget() { value = .null }

    /// Takes a value that was read otherwise.
    mutating func hold(_ value: Value) { self.value = value }

    /// Takes a push: an overwrite, or the places of a merge.
    mutating func take(
        _ push: Value, isMerge: Bool, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        let place = (push["p"].string ?? "").split(separator: "/").map(String.init)
        guard place.starts(with: path) else {
            throw Violation("\(heard.who): a push at \(address(place)) for \(address(path))")
        }
        let below = Array(place.dropFirst(path.count))
        let changes = isMerge ? push["d"].children : ["": push["d"]]
        for (name, new) in changes {
            value = value.setting(new, at: (below + name.split(separator: "/").map(String.init))[...])
        }
        if case .off = phase { throw Violation("\(heard.who): a push for \(address(path)) after its end") }
        guard case .asked(let known, hasValue: false) = phase else {
            return try heard.take(value, &chronicle, durable)
        }
        guard below.isEmpty, !isMerge else {
            throw Violation("\(heard.who): a listen begins with a change and not with the value")
        }
        phase = .asked(known: known, hasValue: true)
        try heard.begin(with: value, since: known, &chronicle, durable)
    }

    /// The server has confirmed the listen: what the client holds is the value.
    mutating func confirm(_ chronicle: inout Chronicle, _ durable: Int64) throws(Violation) {
        guard case .asked(let known, let hasValue) = phase else { return }
        phase = .live
        if !hasValue { try heard.begin(with: value, since: known, &chronicle, durable) }
    }
}
