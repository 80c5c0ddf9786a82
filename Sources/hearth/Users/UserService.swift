// The administrator's calls to the accounts of a server.

import HearthClient
import HearthCore
import HearthJSON
import HearthServer
import HearthWire

/// Asks a server about its users.
struct UserService {
    let client: Client
    /// The project that addresses name.
    let project: String

    /// Seconds since 1970.
    var seconds: Int64 { WallClock().milliseconds / 1_000 }

    /// Sends a call and returns the answer.
    func post(_ path: String, _ body: Claims) throws(CommandFailure) -> Claims {
        try ask(.post, path, query: [], body)
    }

    func get(_ path: String, query: [(name: String, value: String)] = []) throws(CommandFailure) -> Claims {
        try ask(.get, path, query: query, nil)
    }

    func ask(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String)], _ body: Claims?
    ) throws(CommandFailure) -> Claims {
        let target = RequestTarget(path: "/v1/projects/\(project)\(path)", query: query)
        let request = ClientRequest(
            method, target, headers: body == nil ? [] : [("Content-Type", "application/json")],
            body: body.map { .bytes(UserService.json($0)) } ?? .none)
        let text = try client.text(request)
        do throws(ClaimsError) {
            return try Claims(reading: Array(text.utf8))
        } catch {
            throw .failed("\(client.address) answered something else than accounts; check the address")
        }
    }

    /// The user with that address or uid.
    func find(_ name: String) throws(CommandFailure) -> User {
        let field = name.contains("@") ? "email" : "localId"
        let answer = try post("/accounts:lookup", .object([field: .list([.leaf(.string(name))])]))
        guard case .list(let users) = answer.member("users"), let first = users.first else {
            throw .failed("there is no user '\(name)'; 'hearth users list' shows who there is")
        }
        return User(record: first)
    }

    /// The next users, and where to go on.
    func page(after token: String?) throws(CommandFailure) -> (users: [User], next: String?) {
        let query = [("maxResults", "1000")] + (token.map { [("nextPageToken", $0)] } ?? [])
        let answer = try get("/accounts:batchGet", query: query.map { (name: $0.0, value: $0.1) })
        guard case .list(let users) = answer.member("users") else { return ([], nil) }
        return (users.map(User.init), answer.member("nextPageToken").text)
    }

    func update(_ user: User, _ change: [String: Claims]) throws(CommandFailure) {
        var fields = change
        fields["localId"] = .leaf(.string(user.localID))
        _ = try post("/accounts:update", .object(fields))
    }

    /// One line for each session: when it began, when it was last used, how, and where.
    func sessions(of user: User) throws(CommandFailure) -> [String] {
        let answer = try post("/accounts:sessions", .object(["localId": .leaf(.string(user.localID))]))
        guard case .list(let sessions) = answer.member("sessions") else { return [] }
        return sessions.map { session in
            ["sessionId", "signedInAt", "lastUsedAt", "providerId", "client"]
                .map { session.member($0).text ?? "" }.joined(separator: "\t")
        }
    }

    /// A link that sets a new password, once.
    func resetLink(_ user: User) throws(CommandFailure) -> String {
        guard let email = user.email else {
            throw .failed("\(user.title) has no address, so there is no password to set")
        }
        let answer = try post(
            "/accounts:sendOobCode",
            .object([
                "requestType": .leaf(.string("PASSWORD_RESET")), "email": .leaf(.string(email)),
                "returnOobLink": .leaf(.bool(true)),
            ]))
        return answer.member("oobLink").text ?? ""
    }

    static func json(_ claims: Claims) -> [UInt8] {
        var writer = JSONWriter()
        append(claims, to: &writer)
        return writer.take()
    }

    private static func append(_ claims: Claims, to writer: inout JSONWriter) {
        switch claims {
        case .null: writer.null()
        case .leaf(.bool(let value)): writer.bool(value)
        case .leaf(.integer(let value)): writer.integer(value)
        case .leaf(.double(let value)): writer.double(value)
        case .leaf(.string(let text)): writer.string(text)
        case .list(let elements):
            writer.beginArray()
            for element in elements { append(element, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                append(value, to: &writer)
            }
            writer.endObject()
        }
    }
}

/// One user in the server's answers.
struct User {
    let record: Claims

    var localID: String { record.member("localId").text ?? "" }
    var email: String? { record.member("email").text }

    /// What messages call the user.
    var title: String { email ?? localID }

    /// Uid, address, name and state, with tabs between.
    var line: String {
        let isDisabled = record.member("disabled") == .leaf(.bool(true))
        let name = record.member("displayName").text ?? ""
        return [localID, email ?? "", name, isDisabled ? "disabled" : ""]
            .map { $0.filter { !$0.isNewline && $0 != "\t" } }.joined(separator: "\t")
    }

    /// The whole record; passwords are not in it.
    var json: String { String(decoding: UserService.json(record), as: UTF8.self) }
}
