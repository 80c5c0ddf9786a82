// A server whose users register over HTTP, the way apps do it.
import Foundation
import HearthServer
import Testing

/// What a call was answered.
struct AccountAnswer {
    let reply: Reply
    let fields: [String: Any]

    func text(_ name: String) -> String { fields[name] as? String ?? "" }

    /// The message of an error.
    var message: String? { (fields["error"] as? [String: Any])?["message"] as? String }
}

/// Calls of an app, on one connection.
final class AccountClient {
    let client: TestClient

    init(_ server: Server) throws {
        client = try TestClient(server)
    }

    /// Makes a call by its path behind the host's name, as `accounts:signUp`.
    @discardableResult
    func call(_ name: String, _ json: String = "{}", _ headers: [String] = []) throws -> AccountAnswer {
        try post("/identitytoolkit.googleapis.com/v1/\(name)?key=k", json, headers)
    }

    @discardableResult
    func post(_ target: String, _ body: String, _ headers: [String] = []) throws -> AccountAnswer {
        let type = headers.contains { $0.hasPrefix("Content-Type") } ? [] : ["Content-Type: application/json"]
        return try answer(client.ask("POST", target, type + headers, body: body))
    }

    func get(_ target: String, _ headers: [String] = []) throws -> AccountAnswer {
        try answer(client.ask("GET", target, headers))
    }

    private func answer(_ reply: Reply) throws -> AccountAnswer {
        guard reply.headers["content-type"]?.hasPrefix("application/json") == true, !reply.body.isEmpty else {
            return AccountAnswer(reply: reply, fields: [:])
        }
        let value = try JSONSerialization.jsonObject(with: Data(reply.body.utf8))
        return AccountAnswer(reply: reply, fields: value as? [String: Any] ?? [:])
    }

    /// Registers somebody.
    func signUp(_ email: String, _ password: String = "geheimes wort") throws -> AccountAnswer {
        let answer = try call("accounts:signUp", #"{"email":"\#(email)","password":"\#(password)"}"#)
        try #require(answer.reply.status == 200, "\(answer.reply)")
        return answer
    }

    func signIn(_ email: String, _ password: String = "geheimes wort") throws -> AccountAnswer {
        try call("accounts:signInWithPassword", #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    func refresh(_ token: String) throws -> AccountAnswer {
        try post(
            "/securetoken.googleapis.com/v1/token?key=k", "grant_type=refresh_token&refresh_token=\(token)",
            ["Content-Type: application/x-www-form-urlencoded"])
    }
}

/// A wall clock that stands, so that what is counted by the minute does not depend on the machine.
struct StillClock: Clock {
    let milliseconds: Int64 = 1_800_000_000_000
    var monotonicNanoseconds: Int64 { WallClock().monotonicNanoseconds }
}

/// Runs `body` against a server in production form with quick hashes and without limits, unless `change` says
/// otherwise.
func withAccountServer(
    _ change: (inout Configuration) -> Void = { _ in }, clock: any Clock = WallClock(),
    _ body: (Server, AccountClient) throws -> Void
) throws {
    var configuration = Configuration()
    configuration.storage = .ephemeral
    configuration.addresses = [.loopback4(port: 0)]
    configuration.loopCount = 2
    configuration.log = Log(threshold: .error)
    configuration.tokens.project = "fire3chat"
    configuration.accounts.hasQuickHashes = true
    configuration.accounts.hasLimits = false
    change(&configuration)
    let server = try Server.start(configuration, clock: clock)
    defer { server.stop() }
    try body(server, AccountClient(server))
}

extension Server {
    /// What the administrator of a server without files sends along.
    var administrator: [String] { ["Authorization: Bearer \(shownToken ?? "")"] }
}
