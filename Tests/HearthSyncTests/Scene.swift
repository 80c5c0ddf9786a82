// A tree that is written to, and what the writes are told as, in short texts that tables can hold.
import HearthCore
import HearthSync

/// The node that `json` says.
func node(_ json: String) throws -> Node {
    try DraftReader.draft(Array(json.utf8)).node
}

/// The text of a node, priorities included.
func text(_ node: Node) -> String {
    String(decoding: NodeSerializer.bytes(of: node, .export), as: UTF8.self)
}

/// One write with the states around it.
struct Step {
    let commit: Commit
    let before: State
    let after: State
}

/// A state that is written to.
struct Scene {
    var state: State

    init(_ json: String, rules: String? = nil, childThreshold: Int = 128) throws {
        let stored = try rules.map { try StoredRules(checking: Array($0.utf8)) }
        state = State(root: try node(json), rules: stored)
            .limitingIndexes(childThreshold: childThreshold, inlineWeight: 1_000_000)
    }

    mutating func perform(_ kind: Commit.Kind, _ base: Path, _ edits: [Edit]) -> Step {
        let (content, undo) = state.applyingWithUndo(edits)
        let commit = Commit(
            revision: state.revision + 1, time: 1, kind: kind, base: base, edits: edits, undo: undo)
        defer { state = content.marked(as: commit) }
        return Step(commit: commit, before: state, after: content.marked(as: commit))
    }

    /// Does what a line says: `put /a {"b":1}`, `patch /a {"b":1,"c/d":null}` or `rank /a 5`.
    mutating func perform(_ line: String) throws -> Step {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let path = try Path(words[1])
        switch words[0] {
        case "put":
            return perform(.set, path, [.put(path, try node(words[2]))])
        case "patch":
            let changes = try UpdateReader.changes(Array(words[2].utf8), at: path)
            return perform(.update, path, changes.map { .put(path.appending($0.path), $0.draft.node) })
        case "rank":
            let priority = Double(words[2]).map(Priority.number) ?? .none
            return perform(.set, path, [.prioritize(path, priority)])
        default:
            preconditionFailure("'\(line)' is no write")
        }
    }
}

/// Reads a query: `order=key|value|priority|child/path from=… after=… to=… before=… first=n last=n`.
/// Bounds are JSON, for the order by key the bare key.
func query(_ text: String) throws -> Query {
    var query = Query()
    for part in text.split(separator: " ") {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        switch pair[0] {
        case "order":
            switch pair[1] {
            case "key": query.order = .key
            case "value": query.order = .value
            case "priority": query.order = .priority
            default: query.order = .child(try Path(pair[1]))
            }
        case "first": query.limit = Int(pair[1]).map { .first($0) }
        case "last": query.limit = Int(pair[1]).map { .last($0) }
        case "from": query.lower = try bound(pair[1], query.order, key: .start, byKey: { .before($0) })
        case "after": query.lower = try bound(pair[1], query.order, key: .end, byKey: { .after($0) })
        case "to": query.upper = try bound(pair[1], query.order, key: .end, byKey: { .after($0) })
        case "before": query.upper = try bound(pair[1], query.order, key: .start, byKey: { .before($0) })
        default: preconditionFailure("'\(part)' is no part of a query")
        }
    }
    return query
}

private func bound(
    _ text: String, _ order: Query.Order, key: KeyPosition, byKey: (Key) -> KeyPosition
) throws -> Query.Bound {
    if order == .key { return .init(value: .null, key: byKey(try Key(text))) }
    return .init(value: Query.Value(of: try node(text)), key: key)
}

extension View {
    init(_ path: String, _ queryText: String = "") throws {
        self.init(path: try Path(path), query: try HearthSyncTests.query(queryText))
    }

    /// What the write is told as: `put /a 1`, `patch / {"a":1,"b":null}`, `rank /a`, or nothing.
    func changeText(_ step: Step) throws -> String {
        switch try change(by: step.commit, before: step.before, after: step.after) {
        case nil: return ""
        case .put(let path, let node): return "put \(path) \(text(node))"
        case .prioritize(let path, _): return "rank \(path)"
        case .patch(let path, let members):
            let pairs = members.map { member in
                "\"\(member.path.keys.map(\.text).joined(separator: "/"))\":\(text(member.node))"
            }
            return "patch \(path) {\(pairs.joined(separator: ","))}"
        }
    }

    /// What the write is told as: `-a 1` removed, `+b after a 2` added, `>` moved, `*` changed, `=` a new
    /// value.
    func eventTexts(_ step: Step) throws -> [String] {
        let events = try events(of: step.commit, before: step.before, after: step.after)
        return events.children.map(\.summary) + (events.isValueChanged ? ["="] : [])
    }
}

extension ChildEvent {
    var summary: String {
        let sign =
            switch kind {
            case .removed: "-"
            case .added: "+"
            case .moved: ">"
            case .changed: "*"
            }
        return "\(sign)\(key)\(previous.map { " after \($0)" } ?? "") \(text(data))"
    }
}
