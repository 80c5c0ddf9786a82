// The one table of addresses.

import HearthWire
import Testing

@Suite("A route")
struct RouteTests {
    static let rows: [(String, Route)] = [
        ("/.json", .data), ("/rooms/lobby.json", .data), ("/rooms/.json", .data), ("/.priority.json", .data),
        ("/x/.priority.json", .data), ("/.settings.json", .data), ("/%2Esettings/rules.json", .data),
        ("/.settingsx/rules.json", .data), ("/.ws.json", .data), ("/v1/token.json", .data),
        ("/.ws", .webSocket), ("/.ws?v=5&ns=a", .webSocket), ("/.ws/x", .unknown),
        ("/.lp", .realtimePoll), ("/.lp/x.json", .unknown),
        ("/.settings/rules.json", .settings("rules")), ("/.settings/rules", .unknown),
        ("/.settings", .unknown),
        ("/.settings/a%20b/c.json?x=.json", .settings("a b/c")), ("/.settings/%ff.json", .unknown),
        ("/.info/serverTimeOffset.json", .info("serverTimeOffset")), ("/.info.json", .info("")),
        ("/.inspect", .inspect("")), ("/.inspect/views", .inspect("views")),
        ("/.files/a/b.png", .files("a/b.png")),
        ("/.health", .health), ("/.health/x", .unknown), ("/.metrics", .metrics),
        ("/.well-known/jwks.json", .publishedKeys), ("/.well-known/other", .unknown),
        ("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", .account), ("/v1/token?key=k", .account),
        ("/v1/accounts:lookup", .account),
        ("/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo", .account),
        ("/", .file), ("/index.html", .file), ("/rooms/lobby", .file), ("/x.JSON", .file),
        ("/a.json/", .file),
        ("/.env", .file), ("http://a.example", .file), ("http://a.example/a.json", .data),
    ]

    @Test("is found by the path alone, reserved first segments before data", arguments: rows)
    func route(path: String, expected: Route) throws {
        #expect(try Route(head("GET \(path)")) == expected)
    }

    @Test("of OPTIONS * is the server")
    func server() throws {
        #expect(try Route(head("OPTIONS *")) == .server)
    }
}
