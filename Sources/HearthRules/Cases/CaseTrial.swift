// One case played by the pure judge, without a server.
import HearthCore

/// One case played by the pure judge.
struct CaseTrial {
    /// What keeps a case from being played.
    struct Unplayable: Error {
        let reason: String
    }

    let element: RelaxedJSON
    private let groupData: RelaxedJSON?
    private let now: Int64
    let operation: String

    init(_ element: RelaxedJSON, groupData: RelaxedJSON?, now: Int64) {
        self.element = element
        self.groupData = groupData
        self.now = now
        operation = element.member("op")?.string ?? ""
    }

    /// The request in short.
    var request: String {
        guard operation != "deploy" else { return "deploy" }
        let path = element.member("path")?.string ?? "/"
        return "\(operation) \(path) as \(asker)"
    }

    var asker: String {
        guard let auth = element.member("auth") else { return "nobody" }
        return auth.string ?? auth.member("uid")?.string ?? "nobody"
    }

    /// What was expected and what came; nil if they agree.
    func failure(under rules: Result<RuleSet, RuleError>) -> String? {
        if operation == "deploy" { return deployFailure }
        do throws(Unplayable) {
            switch rules {
            case .failure(let error): throw Unplayable(reason: "the rules are not valid: \(error)")
            case .success(let rules): return try requestFailure(rules)
            }
        } catch {
            return error.reason
        }
    }

    private var deployFailure: String? {
        guard let text = CaseGroup.rulesText(of: element) else { return "the case has no rules" }
        let isValid = element.member("valid")?.word == "true"
        switch CaseGroup.load(text) {
        case .success: return isValid ? nil : "the rules were taken, but are not valid"
        case .failure(let error):
            guard !isValid else { return "the rules were refused: \(error)" }
            let wanted = element.member("errorContains")?.string ?? ""
            let found = TextSearch(for: wanted.lowercased()).firstPlace(
                in: Array(error.description.lowercased().utf8), from: 0)
            return found != nil ? nil : "expected an error with '\(wanted)', got '\(error)'"
        }
    }

    private func requestFailure(_ rules: RuleSet) throws(Unplayable) -> String? {
        if let isAllowed = try isFileAllowed(by: rules) {
            let isExpected = element.member("allow")?.word == "true"
            guard isAllowed != isExpected else { return nil }
            return "expected \(isExpected ? "allow, got deny" : "deny, got allow")"
        }
        let path = try path(element.member("path")?.string ?? "/")
        let isExpected = element.member("allow")?.word == "true"
        let before = try before
        let query = try element.member("query").flatMap { value throws(Unplayable) in try self.query(value) }
        let edits = operation == "read" ? [] : try edits(at: path, over: before)
        let after = before.applying(edits)
        var isAllowed = true
        let context = try context
        if asker != "admin" {
            isAllowed =
                operation == "read"
                ? rules.judgeRead(at: path, query: query, in: context).isAllowed
                : rules.judgeWrite(edits, leadingTo: after, in: context).isAllowed
        }
        guard isAllowed == isExpected else {
            let explanation =
                operation == "read"
                ? rules.explainRead(at: path, query: query, in: context)
                : rules.explainWrite(edits, leadingTo: after, in: context)
            return "expected \(isExpected ? "allow, got deny" : "deny, got allow")\n\(explanation)"
        }
        if let failure = try resultFailure(before.descendant(at: path), query, isAllowed) { return failure }
        return try afterFailure(isAllowed ? after : before)
    }

    /// The data before the request.
    private var before: Node {
        get throws(Unplayable) {
            try draft(element.member("data") ?? groupData, at: .root).resolved(old: .empty, now: now)
        }
    }

    /// What the request is judged by.
    var context: JudgingContext {
        get throws(Unplayable) { JudgingContext(auth: try auth, now: now, root: try before) }
    }

    private func resultFailure(_ node: Node, _ query: Query?, _ isAllowed: Bool) throws(Unplayable) -> String?
    {
        guard isAllowed, operation == "read", let wanted = element.member("expectJson") else { return nil }
        let expected = try draft(wanted, at: .root).node
        let got = query.map { $0.children(of: node) } ?? node
        return got == expected ? nil : "expected \(shown(expected)), got \(shown(got))"
    }

    private func afterFailure(_ root: Node) throws(Unplayable) -> String? {
        guard case .object(let members) = element.member("after")?.content else { return nil }
        for member in members {
            let expected = try draft(member.value, at: .root).node
            let got = root.descendant(at: try path(member.name))
            if got != expected {
                return "afterwards \(member.name): expected \(shown(expected)), got \(shown(got))"
            }
        }
        return nil
    }

    private func shown(_ node: Node) -> String {
        String(decoding: NodeSerializer.bytes(of: node).prefix(200), as: UTF8.self)
    }

    private func path(_ text: String) throws(Unplayable) -> Path {
        do throws(KeyError) {
            return try Path(text)
        } catch {
            throw Unplayable(reason: "'\(text)' is no path: \(error)")
        }
    }

    private func draft(_ value: RelaxedJSON?, at path: Path) throws(Unplayable) -> Draft {
        guard let value else { return Draft(.empty) }
        do throws(DraftError) {
            return try DraftReader.draft(value.json(now: now), at: path)
        } catch {
            throw Unplayable(reason: "a value of the case cannot be read: \(error)")
        }
    }
}

extension CaseTrial {
    private func edits(at path: Path, over root: Node) throws(Unplayable) -> [Edit] {
        switch operation {
        case "write":
            return [try put(path, try draft(element.member("newData"), at: path), over: root)]
        case "push":
            var chance = FixedChance()
            var generator = PushIDGenerator()
            let place = path.appending(generator.next(at: now, using: &chance))
            return [try put(place, try draft(element.member("newData"), at: place), over: root)]
        case "delete": return [.put(path, .empty)]
        case "update": return try updates(at: path, over: root)
        default: throw Unplayable(reason: "'\(operation)' is no operation")
        }
    }

    private func put(_ path: Path, _ draft: Draft, over root: Node) throws(Unplayable) -> Edit {
        .put(path, draft.resolved(old: root.descendant(at: path), now: now))
    }

    private func updates(at path: Path, over root: Node) throws(Unplayable) -> [Edit] {
        guard let value = element.member("newData") else {
            throw Unplayable(reason: "an update needs 'newData'")
        }
        do throws(DraftError) {
            return try UpdateReader.changes(value.json(now: now), at: path).map { change in
                let place = path.appending(change.path)
                if let priority = change.draft.solePriority {
                    return .prioritize(place, priority.resolved(old: root.descendant(at: place), now: now))
                }
                return .put(place, change.draft.resolved(old: root.descendant(at: place), now: now))
            }
        } catch {
            throw Unplayable(reason: "the update cannot be read: \(error)")
        }
    }

    /// The claims of a token as an issuer would fill them in.
    private var auth: Auth? {
        get throws(Unplayable) {
            guard let value = element.member("auth"), case .object = value.content else { return nil }
            let provider = Claims.leaf(.string(value.member("provider")?.string ?? "custom"))
            var firebase: [String: Claims] = ["identities": .object([:]), "sign_in_provider": provider]
            var token: [String: Claims] = [:]
            var variable: [String: Claims] = ["provider": provider]
            if let uid = value.member("uid")?.string {
                for name in ["sub", "user_id"] { token[name] = .leaf(.string(uid)) }
                variable["uid"] = .leaf(.string(uid))
            }
            if let given = value.member("token"), case .object(let claims) = try claims(given) {
                for (name, claim) in claims {
                    if name == "firebase", case .object(let members) = claim {
                        firebase.merge(members) { $1 }
                    } else {
                        token[name] = claim
                    }
                }
            }
            token["firebase"] = .object(firebase)
            variable["token"] = .object(token)
            return Auth(variable: variable)
        }
    }

    private func claims(_ value: RelaxedJSON) throws(Unplayable) -> Claims {
        do throws(ClaimsError) {
            return try Claims(reading: value.json(now: now))
        } catch {
            throw Unplayable(reason: "the token of the case cannot be read: \(error)")
        }
    }
}

/// What a push draws from, where chance would keep a case from being repeated.
private struct FixedChance: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}

extension CaseTrial {
    /// A query as a REST client sends it.
    private func query(_ value: RelaxedJSON) throws(Unplayable) -> Query? {
        guard case .object(let members) = value.content, !members.isEmpty else { return nil }
        var query = Query(order: .key)
        if let order = value.member("orderBy") { query.order = try self.order(order) }
        for member in members {
            let text = member.value.string ?? member.value.word ?? ""
            switch member.name {
            case "orderBy": break
            case "limitToFirst": query.limit = Int(text).map { .first($0) }
            case "limitToLast": query.limit = Int(text).map { .last($0) }
            case "startAt": query.lower = try bound(text, query.order, after: false)
            case "startAfter": query.lower = try bound(text, query.order, after: true)
            case "endAt": query.upper = try bound(text, query.order, after: true)
            case "endBefore": query.upper = try bound(text, query.order, after: false)
            case "equalTo":
                query.lower = try bound(text, query.order, after: false)
                query.upper = try bound(text, query.order, after: true)
            default: throw Unplayable(reason: "'\(member.name)' is no query parameter")
            }
        }
        return query
    }

    private func order(_ value: RelaxedJSON) throws(Unplayable) -> Query.Order {
        guard case .leaf(.string(let name)) = try primitive(value.string ?? "") else {
            throw Unplayable(reason: "'orderBy' is a JSON string")
        }
        switch name {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default: return .child(try path(name))
        }
    }

    private func bound(_ text: String, _ order: Query.Order, after: Bool) throws(Unplayable) -> Query.Bound {
        let value = try primitive(text)
        guard order == .key else { return Query.Bound(value: value, key: after ? .end : .start) }
        guard case .leaf(.string(var name)) = value else {
            throw Unplayable(reason: "a bound in the order by key is a JSON string")
        }
        let key = name.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
        return Query.Bound(value: .null, key: after ? .after(key) : .before(key))
    }

    private func primitive(_ text: String) throws(Unplayable) -> Query.Value {
        do throws(DraftError) {
            return Query.Value(of: try DraftReader.draft(Array(text.utf8)).node)
        } catch {
            throw Unplayable(reason: "'\(text)' is no JSON value: \(error)")
        }
    }
}

extension Query {
    /// The children that the query asks for, found without an index.
    fileprivate func children(of node: Node) -> Node {
        var found: [(position: Position, entry: ChildEntry)] = []
        for entry in node.children() {
            let position = position(of: entry.node, key: entry.key)
            if contains(position) { found.append((position, entry)) }
        }
        found.sort { $0.position < $1.position }
        let kept: ArraySlice =
            switch limit {
            case nil: found[...]
            case .first(let count): found.prefix(count)
            case .last(let count): found.suffix(count)
            }
        var builder = Node.Builder()
        for (_, entry) in kept { builder.insert(entry.node, for: entry.key) }
        return builder.finish()
    }
}
