// A server with rules, users whose tokens it takes, and a clock that can be put forward.
import Foundation
import HearthCrypto
import HearthServer
import Synchronization
import Testing

/// The machine's clocks, put forward together by as much as a test likes.
final class ShiftedClock: Clock {
    private let shift = Mutex<Int64>(0)

    var milliseconds: Int64 { WallClock().milliseconds + shift.withLock { $0 } }
    var monotonicNanoseconds: Int64 {
        WallClock().monotonicNanoseconds + shift.withLock { $0 } * 1_000_000
    }

    func putForward(seconds: Int64) {
        shift.withLock { $0 += seconds * 1_000 }
    }
}

/// Tokens of the project `fire3chat`, signed with a secret.
enum UserToken {
    static let secret = "a secret of more than thirty-two bytes"

    static func encode(_ text: String) -> String { Base64.url.encode(Array(text.utf8)) }

    /// A token that is signed right, whatever it says.
    static func signed(_ claims: String, header: String = #"{"alg":"HS256"}"#) -> String {
        let head = encode(header) + "." + encode(claims)
        let code = HMACSHA256.code(for: Array(head.utf8), secret: Array(secret.utf8))
        return head + "." + Base64.url.encode(code.bytes)
    }

    /// The claims of a user, an hour before they end; `further` comes after them.
    static func claims(_ uid: String, lifetime: Int64 = 3_600, further: String = "") -> String {
        let now = WallClock().milliseconds / 1_000
        return """
            {"iss":"https://securetoken.google.com/fire3chat","aud":"fire3chat","sub":"\(uid)",\
            "iat":\(now - 10),"exp":\(now + lifetime),"firebase":{"sign_in_provider":"password"}\(further)}
            """
    }

    static func of(_ uid: String, lifetime: Int64 = 3_600) -> String {
        signed(claims(uid, lifetime: lifetime))
    }
}

/// A server under test with its administrator.
struct JudgedServer {
    let server: Server
    let clock: ShiftedClock

    /// What the administrator sends along.
    var admin: [String] { ["Authorization: Bearer \(server.shownToken ?? "")"] }

    func client() throws -> TestClient { try TestClient(server) }

    /// Does something as the administrator.
    @discardableResult
    func put(_ target: String, _ body: String, _ method: String = "PUT") throws -> Reply {
        let reply = try client().ask(method, target, admin, body: body)
        try #require(reply.status == 200, "\(reply)")
        return reply
    }

    func store(_ rules: String) throws {
        try put("/.settings/rules.json", rules)
    }
}

/// Runs `body` against a server without files that takes the tokens of `UserToken`.
func withJudgedServer(
    _ rules: String?, _ change: (inout Configuration) -> Void = { _ in },
    _ body: (JudgedServer) throws -> Void
) throws {
    let directory = TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    let secretFile = directory.path + "/secret"
    try (UserToken.secret + "\n").write(toFile: secretFile, atomically: true, encoding: .utf8)
    var configuration = Configuration()
    configuration.storage = .ephemeral
    configuration.addresses = [.loopback4(port: 0)]
    configuration.loopCount = 1
    configuration.log = Log(threshold: .error)
    configuration.tokens.project = "fire3chat"
    configuration.tokens.secretFile = secretFile
    change(&configuration)
    let clock = ShiftedClock()
    let server = try Server.start(configuration, clock: clock)
    defer { server.stop() }
    let judged = JudgedServer(server: server, clock: clock)
    if let rules { try judged.store(rules) }
    try body(judged)
}
