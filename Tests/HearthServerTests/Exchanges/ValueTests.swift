// Reading and writing values over HTTP, as far as the server adds something to what the tree and the wire do.
import HearthServer
import Testing

@Suite("A value over HTTP")
struct ValueTests {
    @Test("is written, read, changed in several places, pushed below and removed")
    func life() throws {
        try withServer { server in
            let client = try TestClient(server)
            let put = try client.ask("PUT", "/rooms/lobby.json", body: #"{"topic":"hello","seats":[1,2]}"#)
            #expect(put.status == 200)
            #expect(put.body == #"{"seats":[1,2],"topic":"hello"}"#)
            #expect(try client.ask("GET", "/rooms/lobby/topic.json").body == "\"hello\"")
            let patch = try client.ask(
                "PATCH", "/rooms.json", body: #"{"lobby/topic":"bye","den/topic":"hi"}"#)
            #expect(patch.body == #"{"lobby/topic":"bye","den/topic":"hi"}"#)
            let push = try client.ask("POST", "/rooms/lobby/messages.json", body: #"{"text":"a"}"#)
            #expect(push.body.hasPrefix(#"{"name":"-"#))
            #expect(try client.ask("DELETE", "/rooms/lobby.json").body == "null")
            #expect(try client.ask("GET", "/.json").body == #"{"rooms":{"den":{"topic":"hi"}}}"#)
        }
    }

    @Test("carries the cursor of the state that was read or made, each write one more")
    func cursors() throws {
        try withServer { server in
            let client = try TestClient(server)
            let empty = try #require(try client.ask("GET", "/a.json").headers["hearth-cursor"])
            #expect(empty.hasSuffix("-0"))
            let epoch = empty.dropLast(2)
            for (index, method) in ["PUT", "POST", "PATCH", "DELETE"].enumerated() {
                let body = method == "DELETE" ? nil : #"{"x":1}"#
                let reply = try client.ask(method, "/a.json", body: body)
                #expect(reply.headers["hearth-cursor"] == "\(epoch)-\(index + 1)")
            }
            #expect(try client.ask("GET", "/a.json").headers["hearth-cursor"] == "\(epoch)-4")
            #expect(try client.ask("HEAD", "/a.json").headers["hearth-cursor"] == "\(epoch)-4")
            #expect(try client.ask("GET", "/a%00.json").headers["hearth-cursor"] == nil)
        }
    }

    @Test("that a query looks for and does not find is an object without children")
    func noMatch() throws {
        try withServer { server in
            let client = try TestClient(server)
            _ = try client.ask("PUT", "/rooms.json", body: #"{"den":1,"lobby":2}"#)
            let query = "orderBy=%22$key%22&startAt=%22x%22"
            #expect(try client.ask("GET", "/rooms.json?\(query)").body == "{}")
            #expect(try client.ask("GET", "/nothing.json?\(query)").body == "{}")
            #expect(try client.ask("GET", "/nothing.json?shallow=true&limitToFirst=1").body == "null")
            #expect(try client.ask("GET", "/nothing.json").body == "null")
        }
    }

    @Test("is the same for HEAD, without a body")
    func head() throws {
        try withServer { server in
            let client = try TestClient(server)
            _ = try client.ask("PUT", "/a.json", body: "\"abc\"")
            let head = try client.ask("HEAD", "/a.json")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "5")
            #expect(try client.ask("GET", "/a.json").body == "\"abc\"")
        }
    }

    @Test("is read as it was written by the same connection, also within one burst of requests")
    func ownWrites() throws {
        try withServer { server in
            let client = try TestClient(server)
            for number in 1...200 {
                client.begin("PUT", "/count.json", body: "\(number)")
                client.begin("GET", "/count.json")
            }
            for number in 1...200 {
                #expect(try client.read().body == "\(number)")
                #expect(try client.read().body == "\(number)")
            }
        }
    }

    @Test(
        "is refused with what is wrong and where",
        arguments: [
            ("PUT", "/a.json", "{\"a\":", 400, "Invalid data"),
            ("PUT", "/a.json", "1e999", 400, "Invalid data"),
            ("PUT", "/a.json", "{\"a.b\":1}", 400, "Invalid data"),
            ("PUT", "/a.json", "\"\\ud800\"", 400, "Invalid data"),
            ("PUT", "/a.json", "", 400, "No data supplied"),
            ("PUT", "/a.json", " ", 400, "Invalid data"),
            ("PATCH", "/a.json", "[1]", 400, "couldn't parse JSON object."),
            ("PATCH", "/a.json", "{\"a\":1,\"a/b\":2}", 400, "/a/b"),
            ("POST", "/a.json", "nonsense", 400, "line 1, column"),
            ("PUT", "/a/.priority.json", "true", 400, "a priority must be"),
            ("GET", "/a/b%5B.json", "", 400, "Invalid token in path"),
            ("GET", "/a", "", 404, "append .json"),
            ("TRACE", "/a.json", "", 405, "not allowed"),
            ("GET", "/a.json?ns=unknown", "", 404, "no such database"),
            ("PUT", "/a.json?ns=unknown", "1", 404, "no such database"),
        ])
    func refused(method: String, target: String, body: String, status: Int, text: String) throws {
        try withServer { server in
            let client = try TestClient(server)
            let reply = try client.ask(method, target, body: method == "GET" ? nil : body)
            #expect(reply.status == status)
            #expect(reply.body.contains(text), "\(reply.body)")
            // The connection goes on, and nothing was written.
            #expect(try client.ask("GET", "/.json").body == "null")
        }
    }

    @Test("is refused beyond 32 levels and with a million open brackets")
    func tooDeep() throws {
        try withServer { server in
            let client = try TestClient(server)
            let deep = String(repeating: "{\"a\":", count: 32) + "1" + String(repeating: "}", count: 32)
            #expect(try client.ask("PUT", "/x.json", body: deep).status == 400)
            #expect(
                try client.ask("POST", "/.json", body: deep).status == 400)
            let brackets = String(repeating: "[", count: 1_000_000)
            #expect(try client.ask("PUT", "/x.json", body: brackets).status == 400)
            #expect(try client.ask("GET", "/.json").body == "null")
        }
    }

    @Test("keeps its tag until something below it changes, and is written only with the right one")
    func tags() throws {
        try withServer { server in
            let client = try TestClient(server)
            let made = try client.ask("PUT", "/a.json", ["if-match: null_etag"], body: #"{"b":1}"#)
            #expect(made.status == 200)
            let tag = try #require(made.headers["etag"])
            let wrong = try client.ask("PUT", "/a.json", ["if-match: null_etag"], body: "2")
            #expect(wrong.status == 412)
            #expect(wrong.body == #"{"b":1}"#)
            #expect(wrong.headers["etag"] == tag)
            #expect(try client.ask("GET", "/a.json", ["if-none-match: \(tag)"]).status == 304)
            #expect(try client.ask("PUT", "/c.json", body: "1").headers["etag"] == nil)
            #expect(try client.ask("GET", "/a.json", ["X-Firebase-ETag: true"]).headers["etag"] == tag)
            _ = try client.ask("PUT", "/a/b.json", body: "3")
            #expect(try client.ask("GET", "/a.json", ["if-none-match: \(tag)"]).body == #"{"b":3}"#)
            #expect(try client.ask("DELETE", "/a.json", ["if-match: \(tag)"]).status == 412)
        }
    }

    @Test("has its tag made by a worker when it is large, whoever asks first, and the answers stay in order")
    func largeTags() throws {
        try withServer { server in
            let client = try TestClient(server)
            let text = String(repeating: "x", count: 300)
            let list = "{" + (0..<1_000).map { "\"m\($0)\":\"\(text)\"" }.joined(separator: ",") + "}"
            let made = try client.ask("PUT", "/list.json", ["X-Firebase-ETag: true"], body: list)
            let tag = try #require(made.headers["etag"])
            for place in ["copy", "other"] { _ = try client.ask("PUT", "/\(place).json", body: list) }
            client.begin("GET", "/copy.json?shallow=true", ["X-Firebase-ETag: true"])
            client.begin("GET", "/copy/m1.json", ["if-none-match: \(tag)"])
            client.begin("GET", "/copy.json", ["if-none-match: \(tag)"])
            #expect(try client.read().headers["etag"] == tag)
            #expect(try client.read().body == "\"\(text)\"")
            #expect(try client.read().status == 304)
            client.begin("PUT", "/other.json", ["if-match: null_etag"], body: "1")
            client.begin("PUT", "/other/m1.json", body: "1")
            client.begin("PUT", "/other.json", ["if-match: \(tag)"], body: "2")
            let refused = try client.read()
            #expect(refused.status == 412 && refused.headers["etag"] == tag)
            #expect(try client.read().status == 200)
            #expect(try client.read().status == 412)
            #expect(try client.ask("DELETE", "/copy.json", ["if-match: \(tag)"]).status == 200)
        }
    }

    @Test("takes its body in chunks and after a permission to send it")
    func bodies() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.begin("PUT", "/a.json", ["Transfer-Encoding: chunked", "Expect: 100-continue"])
            #expect(try client.read().status == 100)
            client.send("2;x=y\r\n[1\r\n3\r\n,2]\r\n0\r\nTrailer: dropped\r\n\r\n")
            #expect(try client.read().body == "[1,2]")
            client.begin("PUT", "/a.json?ns=no.name", ["Content-Length: 3", "Expect: 100-continue"])
            #expect(try client.read().status == 100)
            client.send("[1]")
            #expect(try client.read().status == 400)
        }
    }
}
