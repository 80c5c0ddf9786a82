// What clients say over the realtime protocol.
import HearthCore
import HearthWire
import Testing

@Suite("A message of a client")
struct RealtimeMessageTests {
    private static func message(_ text: String) throws -> RealtimeMessage {
        try RealtimeMessage(reading: Array(text.utf8))
    }

    private static func request(_ action: String, _ body: String) throws -> RealtimeRequest {
        let text = #"{"t":"d","d":{"r":7,"a":"\#(action)","b":\#(body)}}"#
        guard case .request(let request) = try message(text) else {
            throw RealtimeRefusal(.error, "no request")
        }
        return request
    }

    /// An action in a line, so that it can be compared.
    private static func describe(_ action: RealtimeAction) -> String {
        switch action {
        case .listen(let question, let hash): "listen \(describe(question)) hash=\(hash)"
        case .unlisten(let question): "unlisten \(describe(question))"
        case .get(let question): "get \(describe(question))"
        case .write(let write, let expected): describe(write) + (expected.map { " expecting=\($0)" } ?? "")
        case .authenticate(let credential): "auth \(credential.token) \(describe(credential.override))"
        case .unauthenticate: "unauth"
        case .appCheck: "appcheck"
        case .writeOnDisconnect(let write): "on disconnect " + describe(write)
        case .cancelOnDisconnect(let path): "cancel \(path)"
        case .stats: "stats"
        case .refused(let refusal): "refused \(refusal.status.rawValue): \(refusal.text)"
        }
    }

    private static func describe(_ override: RealtimeCredential.Override) -> String {
        switch override {
        case .none: "as itself"
        case .unauthenticated: "as nobody"
        case .variable(let json): "as " + String(decoding: json, as: UTF8.self)
        }
    }

    private static func describe(_ question: RealtimeQuestion) -> String {
        let place =
            switch question.place {
            case .node(let path): "\(path)"
            case .priority(let path): "\(path) priority"
            case .connection: "connection"
            }
        let query = question.query.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        return place + query + (question.tag.map { " tag=\($0)" } ?? "")
    }

    private static func describe(_ write: Write) -> String {
        switch write {
        case .set(let path, let draft): "set \(path) \(describe(draft))"
        case .prioritize(let path, let priority): "prioritize \(path) \(priority)"
        case .update(let path, let changes):
            "update \(path) " + changes.map { "\($0.path)=\(describe($0.draft))" }.joined(separator: " ")
        case .rules: "rules"
        }
    }

    private static func describe(_ draft: Draft) -> String {
        let json = String(decoding: NodeSerializer.bytes(of: draft.node, .export), as: UTF8.self)
        return json + draft.placeholders.map { " \($0.path):\($0.serverValue)" }.joined()
    }

    @Test(
        "says what the sheet's examples ask for",
        arguments: [
            ("q", #"{"p":"/room","h":""}"#, "listen /room hash="),
            ("l", #"{"h":"","p":"room/"}"#, "listen /room hash="),
            (
                "q", #"{"p":"/q","q":{"l":2,"vf":"r"},"t":1,"h":"x=","ch":{"hs":[],"ps":[]}}"#,
                #"listen /q {"l":2,"vf":"r"} tag=1 hash=x="#
            ),
            ("n", #"{"p":"/q","q":{"l":2,"vf":"r"},"t":1}"#, #"unlisten /q {"l":2,"vf":"r"} tag=1"#),
            ("u", #"{"p":"/"}"#, "unlisten /"),
            ("g", #"{"p":"/room/none","q":{}}"#, "get /room/none"),
            ("g", #"{"p":"/.info/connected","q":{}}"#, "get connection"),
            ("p", #"{"p":"/w/x","d":{"a":{"0":1,"1":2}}}"#, #"set /w/x {"a":{"0":1,"1":2}}"#),
            ("p", #"{"p":"/w/x/.priority","d":5}"#, "prioritize /w/x known(HearthCore.Priority.number(5.0))"),
            (
                "p", #"{"p":"/w/y","d":{".value":"v",".priority":"pri"}}"#,
                #"set /w/y {".value":"v",".priority":"pri"}"#
            ),
            ("p", #"{"p":"/w/t","d":{".sv":"timestamp"}}"#, "set /w/t 0 /:timestamp"),
            ("p", #"{"p":"/t","d":1,"h":""}"#, "set /t 1 expecting="),
            ("p", #"{"d":null,"p":"/t"}"#, "set /t null"),
            (
                "m", #"{"p":"/w","d":{"p/q":1,"arr":[1,2],"z":null}}"#,
                #"update /w /p/q=1 /arr={"0":1,"1":2} /z=null"#
            ),
            ("o", #"{"p":"/online/A","d":{".sv":"timestamp"}}"#, "on disconnect set /online/A 0 /:timestamp"),
            ("om", #"{"p":"/od","d":{"a/b":1}}"#, "on disconnect update /od /a/b=1"),
            ("oc", #"{"p":"/od","d":null}"#, "cancel /od"),
            ("auth", #"{"cred":"a.b.c"}"#, "auth a.b.c as itself"),
            ("gauth", #"{"cred":"owner","authvar":{"uid":"ann"}}"#, #"auth owner as {"uid":"ann"}"#),
            ("gauth", #"{"cred":"owner","noauth":true}"#, "auth owner as nobody"),
            ("unauth", "{}", "unauth"), ("appcheck", #"{"token":"x"}"#, "appcheck"),
            ("unappeck", "{}", "appcheck"), ("unappcheck", "{}", "appcheck"),
            ("s", #"{"c":{"sdk.js.11-0-0":1}}"#, "stats"),
        ])
    func examples(action: String, body: String, meaning: String) throws {
        let request = try Self.request(action, body)
        #expect(request.number == 7)
        #expect(Self.describe(request.action) == meaning)
    }

    @Test(
        "is refused by itself when only its inside is wrong",
        arguments: [
            ("zz", "{}", "error: Unknown action"),
            ("q", #"{"h":""}"#, "invalid_data: Invalid request: p must be a path"),
            ("q", "null", "invalid_data: Invalid request: p must be a path"),
            (
                "q", #"{"p":"/a/b.c","h":""}"#,
                "invalid_data: Invalid path: a key must not contain '.' (none of . $ # [ ] / is allowed)"
            ),
            (
                "q", #"{"p":"/a/.priority","h":""}"#,
                "invalid_data: Invalid path: names with a dot are reserved"
            ),
            ("p", #"{"p":"/.info/x","d":1}"#, "invalid_data: Invalid path: names with a dot are reserved"),
            ("p", #"{"p":"/a"}"#, "invalid_data: Invalid request: d is missing"),
            (
                "p", #"{"p":"/a","d":{"b.c":1}}"#,
                "invalid_data: Invalid data: a key must not contain '.' (none of . $ # [ ] / is allowed)"
            ),
            (
                "p", #"{"p":"/a/.priority","d":true}"#,
                "invalid_data: Invalid data: a priority must be a number, a string or null"
            ),
            ("m", #"{"p":"/a","d":5}"#, "invalid_data: Invalid data: an update must be a JSON object"),
            (
                "m", #"{"p":"/a","d":{"b":1,"b/c":2}}"#,
                "invalid_data: Invalid data: an update must not write both /b and /b/c, which lies below it"
            ),
            ("auth", #"{"cred":5}"#, "invalid_token: cred must be a token"),
        ])
    func refused(action: String, body: String, reason: String) throws {
        #expect(Self.describe(try Self.request(action, body).action) == "refused " + reason)
    }

    @Test("may have its members in any order, and others beside them")
    func order() throws {
        let text = #"{"x":[{"d":1}],"d":{"b":{"q":{},"p":"/a","z":[]},"y":{"a":"p"},"a":"g","r":12},"t":"d"}"#
        guard case .request(let request) = try Self.message(text) else {
            Issue.record("no request")
            return
        }
        #expect(request.number == 12)
        #expect(Self.describe(request.action) == "get /a")
    }

    @Test("about the connection is told apart")
    func control() throws {
        func name(_ command: String) throws -> String {
            "\(try Self.message(#"{"t":"c","d":{"t":"\#(command)","d":{}}}"#))"
        }
        #expect(try name("p") == "ping")
        #expect(try name("a") == "switched")
        #expect(try name("n") == "ended")
        #expect(try name("h") == "unknown")
    }

    @Test(
        "that is none ends the connection",
        arguments: [
            "", "x", "{", "[]", "5", #"{"t":"x","d":{}}"#, #"{"d":{}}"#, #"{"t":"d","d":{}} 5"#, "{}",
        ])
    func noMessage(text: String) {
        #expect(throws: WebSocketError.self) { try Self.message(text) }
    }

    @Test("without a number can be read, but not replied to")
    func noNumber() throws {
        guard case .request(let request) = try Self.message(#"{"t":"d","d":{"a":"s","r":"1"}}"#) else {
            Issue.record("no request")
            return
        }
        #expect(request.number == nil)
    }

    @Test("is put together from segments, with signs of life between")
    func segments() throws {
        var assembly = RealtimeAssembly(limit: 100)
        func take(_ text: String) throws -> String? {
            try assembly.take(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try take("0") == nil)
        #expect(try take(#"{"a":1}"#) == #"{"a":1}"#)
        #expect(try take("3") == nil)
        #expect(try take("{}12") == nil)
        #expect(try take("0") == nil)
        #expect(try take("2") == nil)
        #expect(assembly.heldByteCount == 5)
        #expect(try take("€") == "{}122€")
        #expect(assembly.heldByteCount == 0)
        #expect(try take("1234567") == "1234567", "seven digits are no count")
        #expect(try take("1") == nil)
        #expect(try take("whole") == "whole")
        #expect(try take("2") == nil)
        #expect(try take(String(repeating: "x", count: 60)) == nil)
        #expect(throws: WebSocketError.self) { try take(String(repeating: "x", count: 41)) }
    }
}
