// From a request's head to a checked call: places, methods, credentials, forms, conditions.

import HearthCore
import HearthWire
import Testing

@Suite("A REST call")
struct RESTCallTests {
    // MARK: Places

    static let places: [(String, String, Bool)] = [
        ("/.json", "/", false), ("/rooms/lobby.json", "/rooms/lobby", false),
        ("/rooms/lobby/.json", "/rooms/lobby", false),
        ("//rooms///lobby.json", "/rooms/lobby", false), ("/a%20b/%C3%A9.json", "/a b/\u{e9}", false),
        ("/a+b/c%25.json", "/a+b/c%", false), ("/\u{e9}.json", "/\u{e9}", false),
        ("/a%2Fb.json", "/a/b", false),
        ("/rooms/lobby/.priority.json", "/rooms/lobby", true), ("/.priority.json", "/", true),
        ("/a/.priority/.json", "/a", true), ("/a:b(c)'d\"{e}~.json", "/a:b(c)'d\"{e}~", false),
        ("http://a.example/rooms.json", "/rooms", false),
    ]

    @Test("names a place by its decoded path", arguments: places)
    func place(path: String, expected: String, isPriority: Bool) throws {
        let location = try RESTCall(head("GET \(path)")).location
        #expect(location.path.description == expected)
        #expect(location.isPriority == isPriority)
    }

    static let token = "Invalid path: Invalid token in path"
    static let badPlaces: [(String, String)] = [
        ("/a.b.json", token), ("/a%24b.json", token), ("/a$b.json", token), ("/a%23b.json", token),
        ("/a[b.json", token),
        ("/a]b.json", token), ("/a%00b.json", token), ("/a%7F.json", token), ("/a%0Ab.json", token),
        ("/.priority/a.json", token), ("/.value.json", token), ("/.sv.json", token),
        ("/%2Einfo/x.json", token),
        ("/a%ff.json", "Invalid path: it is not percent-encoded UTF-8"),
        ("/a%4.json", "Invalid path: it is not percent-encoded UTF-8"),
        ("/a%ed%a0%80.json", "Invalid path: it is not percent-encoded UTF-8"),
        ("/" + String(repeating: "k", count: 769) + ".json", "Invalid path: a key is longer than 768 bytes"),
        (String(repeating: "/d", count: 33) + ".json", "Invalid path: it is deeper than 32 levels"),
    ]

    @Test("to what is no place is refused with the reason", arguments: badPlaces)
    func badPlace(path: String, text: String) {
        #expect(refusal { try RESTCall(head("GET \(path)")) } == RESTError(status: 400, text: text))
    }

    @Test("may name the deepest place and the longest key")
    func limits() throws {
        #expect(
            try RESTCall(head("GET " + String(repeating: "/d", count: 32) + ".json")).location.path.depth
                == 32)
        let key = String(repeating: "k", count: 768)
        #expect(try RESTCall(head("GET /\(key).json")).location.path.last?.text == key)
    }

    // MARK: Methods

    static let methods: [(String, [String], RESTAction)] = [
        ("GET /a.json", [], .read), ("HEAD /a.json", [], .read), ("PUT /a.json", [], .set),
        ("POST /a.json", [], .push),
        ("PATCH /a.json", [], .update), ("DELETE /a.json", [], .remove),
        ("POST /a.json", ["X-HTTP-Method-Override: PATCH"], .update),
        ("POST /a.json", ["X-HTTP-Method-Override: put"], .set),
        ("POST /a.json?x-http-method-override=DELETE", [], .remove),
        ("POST /a.json?X-HTTP-Method-Override=PUT", [], .set),
    ]

    @Test("does what the method, or its override on a POST, says", arguments: methods)
    func method(line: String, lines: [String], expected: RESTAction) throws {
        let request = try lines.first.map { try head(line, $0) } ?? head(line)
        let call = try RESTCall(request)
        #expect(call.action == expected)
        #expect(call.isHead == line.hasPrefix("HEAD"))
    }

    @Test(
        "is refused for other methods and other overrides",
        arguments: [
            ("TRACE /a.json", "A: b", 405), ("BREW /a.json", "A: b", 405), ("OPTIONS /a.json", "A: b", 405),
            ("GET /a.json", "X-HTTP-Method-Override: DELETE", 400),
            ("POST /a.json", "X-HTTP-Method-Override: GET", 400),
            ("POST /a.json", "X-HTTP-Method-Override: TRACE", 400),
            ("GET /a.json?x-http-method-override=PUT", "A: b", 400),
            ("POST /a.json", "X-HTTP-Method-Override: PUT\r\nX-HTTP-Method-Override: PATCH", 400),
        ])
    func badMethod(line: String, header: String, status: Int) {
        #expect(refusal { try RESTCall(head(line, header)) }?.status == status)
    }

    // MARK: Who asks

    @Test("takes one credential: the header, else access_token, else auth")
    func credentials() throws {
        let all = "GET /a.json?auth=user%2Btoken&access_token=admin"
        #expect(try RESTCall(head(all, "Authorization: Bearer owner")).credential == .bearer("owner"))
        #expect(try RESTCall(head(all, "authorization: bearer  owner")).credential == .bearer("owner"))
        #expect(try RESTCall(head(all)).credential == .accessToken("admin"))
        #expect(try RESTCall(head("GET /a.json?auth=user%2Btoken")).credential == .userToken("user+token"))
        #expect(try RESTCall(head("GET /a.json?auth=&access_token=")).credential == .none)
        #expect(try RESTCall(head("GET /a.json")).credential == .none)
    }

    @Test(
        "with an unreadable Authorization is refused",
        arguments: [
            ("Basic dTpw", 401), ("Bearer", 401), ("Bearer ", 401),
            ("Bearer a\r\nAuthorization: Bearer b", 400),
        ])
    func badCredential(value: String, status: Int) {
        #expect(refusal { try RESTCall(head("GET /a.json", "Authorization: \(value)")) }?.status == status)
    }

    @Test("never hands an administrator's answer to a script")
    func script() throws {
        #expect(refusal { try RESTCall(head("GET /a.json?callback=f&access_token=t")) }?.status == 400)
        #expect(try RESTCall(head("GET /a.json?callback=f&auth=t")).credential == .userToken("t"))
    }

    // MARK: Forms

    @Test("asks for a form")
    func forms() throws {
        let call = try read([
            "print": "pretty", "format": "export", "shallow": "true", "callback": "app.got$_1",
            "download": "my file-1.txt",
            "ns": "chat", "auth_variable_override": "{\"uid\":\"ann\"}", "timeout": "3min", "unknown": "x",
            "disableTriggers": "true",
        ])
        #expect(call.form.print == .pretty && call.form.isExport && call.form.isShallow)
        #expect(call.form.callback?.text == "app.got$_1")
        #expect(call.form.downloadName?.text == "my file-1.txt")
        #expect(call.namespace == "chat")
        #expect(call.authOverride == "{\"uid\":\"ann\"}")
        #expect(call.timeout == .seconds(180))
        #expect(try RESTCall(head("PUT /a.json?writeSizeLimit=tiny")).writeSizeLimit == .tiny)
        #expect(try RESTCall(head("GET /a.json?%ff=1&a=%ff&&=&print")).form == RESTForm())
    }

    static let badForms: [(String, String)] = [
        ("print", "loud"), ("format", "xml"), ("callback", ""), ("callback", "a b"), ("callback", "a(1)"),
        ("callback", "1a"),
        ("callback", "a..b"), ("callback", "a;b"), ("callback", "\u{e9}"),
        ("callback", String(repeating: "a", count: 129)),
        ("download", ""), ("download", "../a"), ("download", ".a"), ("download", "a\"b"),
        ("download", "a\r\nb"),
        ("download", "\u{e9}"), ("timeout", "3"), ("timeout", "16min"), ("timeout", "-1s"),
        ("timeout", "1.5s"),
        ("timeout", "9999999999ms"), ("timeout", "s"), ("timeout", ""), ("writeSizeLimit", "huge"),
        ("feed", "continuous"),
    ]

    @Test("for a form that does not exist, or could leave its place, is refused", arguments: badForms)
    func badForm(name: String, value: String) {
        let error = refusal { try read([name: value]) }
        #expect(error?.status == 400)
        #expect(error?.text.hasPrefix(name) == true)
    }

    @Test("that says the same parameter twice must mean the same")
    func repeated() throws {
        #expect(try RESTCall(head("GET /a.json?ns=a&ns=a")).namespace == "a")
        #expect(
            refusal { try RESTCall(head("GET /a.json?auth=a&auth=b")) }
                == RESTError(status: 400, text: "auth is given twice with different values."))
        #expect(
            refusal { try RESTCall(head("GET /a.json?ns=%ff")) }?.text == "ns is not percent-encoded UTF-8.")
    }

    // MARK: Conditions

    @Test("carries the conditions of its method")
    func conditions() throws {
        #expect(try RESTCall(head("PUT /a.json", "If-Match: null_etag")).condition == .match("null_etag"))
        #expect(try RESTCall(head("DELETE /a.json", "if-match: \"x\"")).condition == .match("\"x\""))
        #expect(try RESTCall(head("GET /a.json", "if-none-match: x+y=")).condition == .noneMatch("x+y="))
        #expect(try RESTCall(head("GET /a.json", "if-match: x")).condition == .none)
        #expect(try RESTCall(head("PUT /a.json", "if-match: x")).wantsETag)
        #expect(try RESTCall(head("GET /a.json", "X-Firebase-ETag: TRUE")).wantsETag)
        #expect(try !RESTCall(head("GET /a.json", "X-Firebase-ETag: false")).wantsETag)
        #expect(try !RESTCall(head("GET /a.json")).wantsETag)
    }

    @Test(
        "with a condition that would not be kept is refused",
        arguments: [
            ("PATCH /a.json", "if-match: x"), ("POST /a.json", "if-match: x"),
            ("PUT /a.json", "if-none-match: *"),
            ("PATCH /a.json", "if-none-match: x"), ("PUT /a.json?print=silent", "if-match: x"),
            ("PUT /a.json", "if-match: x\r\nif-match: y"),
        ])
    func badConditions(line: String, header: String) {
        #expect(refusal { try RESTCall(head(line, header)) }?.status == 400)
    }

    @Test(
        "to a priority can be read, set and removed only",
        arguments: [
            ("GET", "", true), ("PUT", "", true), ("DELETE", "", true), ("POST", "", false),
            ("PATCH", "", false),
            ("GET", "?orderBy=%22$key%22", false), ("GET", "?feed=longpoll", false),
        ])
    func priorities(method: String, query: String, isFine: Bool) {
        let error = refusal { try RESTCall(head("\(method) /a/.priority.json\(query)")) }
        #expect(error?.status == (isFine ? nil : 400))
    }
}
