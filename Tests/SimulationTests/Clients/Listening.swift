// One listen of a client of the realtime protocol.
import HearthCore
import HearthSync
import HearthWire

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
    let view: View
    /// What it goes by if it is for some of the children alone.
    let tag: Int64?
    var phase = Phase.off
    var heard: Heard
    /// The copy, as it was looked at last.
    var node = Node.empty
    var value = Value.null
    /// The copy when the listen was asked for, and how often another listen's pushes have changed it since.
    var asked = (node: Node.empty, value: Value.null)
    var disturbanceCount = 0

    init(_ identity: Identity, path: [String], window: Window?, tag: Int64?) {
        self.path = path
        self.tag = tag
        view = View(path: Path(place: path), query: window?.query ?? .whole)
        heard = Heard(
            who: identity.name, path: path, window: window, isAdministrator: identity.isAdministrator)
    }

    var isOff: Bool {
        if case .off = phase { return true }
        return false
    }

    var isLive: Bool {
        if case .live = phase { return true }
        return false
    }

    /// The query as it stands in messages; nil for the whole value.
    var query: Value? { tag.flatMap { _ in Value(json: RealtimeQuery(view.query).text) } }

    /// The members that name it in a message.
    var name: String {
        guard let tag, let query else { return #""p":"\#(address(path))""# }
        return #""p":"\#(address(path))","q":\#(query.json),"t":\#(tag)"#
    }
}
