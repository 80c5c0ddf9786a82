// What clients write, and what each write does to a plain value.

/// Rules of which one part changes while clients write.
enum Rules: String, Sendable {
    /// None were ever stored: programs of this machine may do everything.
    case none
    /// `/gate` is closed.
    case closed
    /// `/gate` is open.
    case open

    /// The rules as they are uploaded.
    var text: String {
        let switched = #""root.child('switch').val() == true""#
        let all = #"".read":true,".write":true"#
        return #"{"rules":{"rooms":{\#(all),"$room":{"messages":{"$message":{".validate":"#
            + #""newData.child('text').isString()"}}}},"counters":{\#(all)},"stamps":{\#(all)},"#
            + #""switch":{\#(all)},"online":{\#(all)},"#
            + #""guarded":{".read":\#(switched),".write":\#(switched)},"#
            + #""gate":{".read":\#(self == .open),".write":\#(self == .open)}}}"#
    }

    /// Whether anybody may read at a path, given the whole tree.
    func allowsReading(_ path: [String], in tree: Value) -> Bool {
        if self == .none { return true }
        guard let first = path.first else { return false }
        switch first {
        case "rooms", "counters", "stamps", "switch", "online": return true
        case "guarded": return tree["switch"] == .bool(true)
        case "gate": return self == .open
        default: return false
        }
    }
}

/// A write of a client.
enum Operation: Sendable {
    case put([String], Value)
    /// A new child below a path.
    case push([String], Value)
    /// Several children of a path, whose names may be paths.
    case patch([String], [String: Value])
    case increment([String])
    case stamp([String])
    case rules(Rules)

    /// What two writes have in common that cannot be told apart afterwards.
    var signature: String {
        switch self {
        case .put(let path, let value): "put \(address(path)) \(value.json)"
        case .push(let path, let value): "push \(address(path)) \(value.json)"
        case .patch(let path, let changes):
            "patch \(address(path)) "
                + changes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.json)" }.joined(
                    separator: ";")
        case .increment(let path): "increment \(address(path))"
        case .stamp(let path): "stamp \(address(path))"
        case .rules(let rules): "rules \(rules.rawValue)"
        }
    }

    /// The signature without long values.
    var summary: String {
        let text = signature
        return text.count > 90 ? text.prefix(90) + "…" : text
    }

    /// The written places with what they become.
    ///
    /// - Parameters:
    ///   - key: the name that a push was given.
    ///   - time: the time of the commit.
    func changes(to tree: Value, key: String, time: Int64) -> [([String], Value)] {
        switch self {
        case .put(let path, let value): [(path, value)]
        case .push(let path, let value): [(path + [key], value)]
        case .patch(let path, let changes):
            changes.map { (path + $0.key.split(separator: "/").map(String.init), $0.value) }
        case .increment(let path):
            if case .number(let number) = tree[path] {
                [(path, .number(number + 1))]
            } else {
                [(path, .number(1))]
            }
        case .stamp(let path): [(path, .number(Int(time)))]
        case .rules: []
        }
    }

    /// Whether somebody without a token may do this under `rules`, given the tree before.
    func isAllowed(by rules: Rules, in tree: Value) -> Bool {
        if rules == .none { return true }
        return changes(to: tree, key: "-", time: 0).allSatisfy { path, value in
            guard rules.allowsReading(path, in: tree) else { return false }
            guard path.count >= 3, path[0] == "rooms", path[2] == "messages" else { return true }
            let messages = path.count == 3 ? Array(value.children.values) : [value]
            return messages.allSatisfy { $0 == .null || $0["text"].string != nil }
        }
    }
}
