// Requests as known clients put them on the wire, understood as they mean them.

import HearthCore
import HearthWire
import Testing

@Suite("A request of a known client")
struct KnownClientTests {
    @Test("of the Python Admin SDK: emulator, ordered and limited")
    func python() throws {
        let call = try RESTCall(
            head(
                "GET /rooms/lobby/messages.json?ns=chat&limitToLast=2&orderBy=%22%24key%22&startAt=%22a+b%22",
                "User-Agent: Firebase/HTTP/7.1.0/3.12/AdminPython", "Accept-Encoding: gzip, deflate",
                "Accept: */*",
                "Connection: keep-alive", "Authorization: Bearer owner"))
        #expect(call.namespace == "chat")
        #expect(call.credential == .bearer("owner"))
        #expect(call.query?.limit == .last(2))
        #expect(call.query?.lower == Query.Bound(value: .null, key: .before(try Key("a b"))))
        #expect(call.feed == .value)
    }

    @Test("of the Python Admin SDK: set if unchanged")
    func conditional() throws {
        let call = try RESTCall(
            head(
                "PUT /rooms/lobby/topic.json?ns=chat", "if-match: ViJFJowpbyRvgGNPzPJdGeN+mCY=",
                "Content-Length: 3"))
        #expect(call.condition == .match("ViJFJowpbyRvgGNPzPJdGeN+mCY="))
        #expect(call.action == .set)
    }

    @Test("of the command-line tools: shallow pages of keys, and a write without triggers")
    func tools() throws {
        let page = try RESTCall(
            head("GET /rooms.json?ns=chat&shallow=true&limitToFirst=1000&startAfter=-Nb3x_&timeout=40000ms"))
        #expect(page.form.isShallow)
        #expect(
            page.query
                == Query(
                    order: .key, lower: Query.Bound(value: .null, key: .after(try Key("-Nb3x_"))),
                    limit: .first(1000)))
        #expect(page.timeout == .seconds(40))
        let write = try RESTCall(
            head("PATCH /.json?ns=chat&print=silent&writeSizeLimit=small&disableTriggers=true"))
        #expect(write.action == .update && write.form.print == .silent && write.writeSizeLimit == .small)
        #expect(write.location.path.isRoot)
    }

    @Test("of curl: quotes, dollars and brackets unencoded")
    func curl() throws {
        let call = try RESTCall(
            head("GET /boats.json?orderBy=\"crew/max\"&endBefore=9,\"[MIN_NAME]\"&print=pretty"))
        #expect(call.query?.order == .child(try Path("crew/max")))
        #expect(call.query?.upper == Query.Bound(value: .leaf(.integer(9)), key: .start))
        #expect(call.form.print == .pretty)
    }

    @Test("of a browser: EventSource that comes back")
    func browser() throws {
        let call = try RESTCall(
            head(
                "GET /rooms/lobby/messages.json?auth=e30.e30.", "Connection: keep-alive",
                "Accept: text/event-stream",
                "Cache-Control: no-cache", "Last-Event-ID: k3Jx9a-7", "Origin: http://localhost:3000",
                "Sec-Fetch-Site: same-site"))
        #expect(call.feed == .changes(since: .cursor(Cursor(epoch: "k3Jx9a", revision: 7))))
        #expect(call.credential == .userToken("e30.e30."))
    }

    @Test("of ApacheBench: version 1.0 that keeps alive gets a length, never chunks")
    func old() throws {
        var parser = HTTPRequestParser()
        let bytes = Array("GET /a.json HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: a\r\n\r\n".utf8)
        let request = try #require(try bytes.withUnsafeBytes { try parser.next(in: $0) })
        var output: [UInt8] = []
        #expect(try RESTReply(to: request, RESTCall(request)).append(json: [0x31], to: &output))
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasSuffix("\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n1"))
        #expect(!RESTReply(to: request).appendHead(status: 200, body: .chunked, to: &output))
    }
}
