// Requests as the cases describe them: to one namespace, as the administrator, as a user or as nobody.
import Foundation
import HearthServer
import HearthTesting
import Testing

/// Asks a server in the name that a step gives.
struct Asker {
    /// How a user is presented to the server.
    enum Presentation: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// By an unsigned token, as emulators take it.
        case token
        /// By the administrator, with `auth_variable_override`.
        case override

        var testDescription: String { "by \(rawValue)" }
    }

    let port: UInt16
    let namespace: String
    var presentation = Presentation.token

    /// The client of one connection, and the answer's head; the body can still be read.
    typealias Opened = (client: WireClient, head: WireClient.Answer)

    /// Sends the request of `step` over a connection of its own and reads the answer.
    func ask(_ step: JSONValue) throws -> WireClient.Answer {
        let client = try WireClient(port: port)
        let request = try request(step)
        client.begin(request.method, request.target, request.headers, body: request.body)
        return try client.read(isHead: request.method == "HEAD")
    }

    /// Opens an event stream.
    func open(_ step: JSONValue) throws -> Opened {
        let client = try WireClient(port: port)
        let request = try request(step)
        client.begin("GET", request.target, request.headers + ["Accept: text/event-stream"])
        return (client, try client.readHead())
    }

    private struct Request {
        var method: String
        var target: String
        var headers: [String]
        var body: [UInt8]?
    }

    private func request(_ step: JSONValue) throws -> Request {
        var pairs = (step["query"]?.sortedMembers ?? []).map { ($0.key, $0.value.string ?? $0.value.text) }
        pairs.append(("ns", namespace))
        var headers = (step["headers"]?.sortedMembers ?? []).map { "\($0.key): \($0.value.string ?? "")" }
        let names = Set((step["headers"]?.members ?? [:]).keys.map { $0.lowercased() })
        let credential = try credential(step["auth"] ?? .string("admin"))
        pairs += credential.parameters
        if credential.isAdministrator, !names.contains("authorization") {
            headers.append("Authorization: Bearer owner")
        }
        let body = step["bodyText"]?.string ?? step["body"].map(\.text)
        if body != nil, !names.contains("content-type") { headers.append("Content-Type: application/json") }
        var parts = pairs.map { "\(Asker.escaped($0.0))=\(Asker.escaped($0.1))" }
        if let raw = step["rawQuery"]?.string { parts.insert(raw, at: 0) }
        let path = try #require(step["path"]?.string)
        return Request(
            method: step["method"]?.string ?? "GET", target: path + "?" + parts.joined(separator: "&"),
            headers: headers, body: body.map { Array($0.utf8) })
    }

    private func credential(
        _ auth: JSONValue
    ) throws -> (parameters: [(String, String)], isAdministrator: Bool) {
        switch auth {
        case .string("admin"): return ([], true)
        case .string, .null: return ([], false)
        default: break
        }
        if let raw = auth["rawToken"]?.string { return ([("auth", raw)], false) }
        let claims = Asker.claims(auth)
        switch presentation {
        case .token:
            let head = Asker.base64URL(#"{"alg":"none","type":"JWT"}"#)
            return ([("auth", "\(head).\(Asker.base64URL(claims.text)).")], false)
        case .override:
            let value: JSONValue = .object([
                "uid": auth["uid"] ?? .null, "provider": auth["provider"] ?? .string("custom"),
                "token": claims,
            ])
            return ([("auth_variable_override", value.text)], true)
        }
    }

    /// The payload of a token for `{"uid", "provider"?, "token"?}`.
    private static func claims(_ auth: JSONValue) -> JSONValue {
        let now = Int64(Date().timeIntervalSince1970)
        var firebase: [String: JSONValue] = [
            "identities": .object([:]), "sign_in_provider": auth["provider"] ?? .string("custom"),
        ]
        var payload: [String: JSONValue] = [
            "iss": .string("https://securetoken.google.com/conformance"), "aud": .string("conformance"),
            "iat": .integer(now - 10), "auth_time": .integer(now - 10), "exp": .integer(now + 3_600),
        ]
        if let uid = auth["uid"] {
            payload["sub"] = uid
            payload["user_id"] = uid
        }
        for (name, value) in auth["token"]?.members ?? [:] {
            if name == "firebase", let members = value.members {
                firebase.merge(members) { $1 }
            } else {
                payload[name] = value
            }
        }
        payload["firebase"] = .object(firebase)
        return .object(payload)
    }

    private static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

/// Runs `body` against an emulator of its own, as the cases expect it.
func withEmulator(_ body: (UInt16) throws -> Void) throws {
    var configuration = Configuration()
    configuration.storage = .ephemeral
    configuration.addresses = [.loopback4(port: 0)]
    configuration.loopCount = 2
    configuration.isEmulator = true
    configuration.allowedOrigins = ["https://app.example"]
    configuration.log = Log(threshold: .error)
    let server = try Server.start(configuration)
    defer { server.stop() }
    try body(try #require(server.addresses.first?.port))
}
