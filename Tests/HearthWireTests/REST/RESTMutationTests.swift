// Calls with random damage: never a trap, and what is let through keeps its promises.

import HearthCore
import HearthTesting
import HearthWire
import Testing

@Suite("A damaged call")
struct RESTMutationTests {
    static let valid = [
        "GET /rooms/lobby/messages.json?orderBy=%22%24key%22&limitToLast=50&startAt=%22-Nb3%22 HTTP/1.1",
        "GET /a%20b/%C3%A9/.priority.json?print=pretty&format=export&timeout=10s HTTP/1.1",
        "GET /rooms.json?feed=longpoll&events=child_added,value&since=k3-42&timeout=30s&limit=5 HTTP/1.1",
        "POST /rooms.json?x-http-method-override=PATCH&auth=a.b.c&ns=chat&writeSizeLimit=small HTTP/1.1",
        "GET /rooms.json?callback=app.got&download=my.txt&shallow=true&limitToFirst=3&startAfter=x HTTP/1.1",
        "GET /.settings/rules.json?format=strict HTTP/1.1",
        "GET /r.json?orderBy=%22n/m%22&startAfter=3,%22k%22&endBefore=1e3,%22%5BMIN_NAME%5D%22 HTTP/1.1",
    ]

    static func check(_ call: RESTCall) throws {
        #expect(call.location.path.depth <= Path.depthLimit)
        for key in call.location.path.keys { #expect(try Key(key.text) == key) }
        if call.action != .read {
            #expect(call.query == nil && call.feed == .value && call.form.callback == nil)
        }
        if case .first(let count)? = call.query?.limit { #expect(count > 0) }
        if case .last(let count)? = call.query?.limit { #expect(count > 0) }
        let name = call.form.downloadName?.text ?? "a"
        #expect(!name.contains("\"") && !name.contains("/") && !name.hasPrefix("."))
        let callback = call.form.callback?.text ?? "f"
        #expect(
            callback.utf8.allSatisfy {
                "_$.".utf8.contains($0) || Character(UnicodeScalar($0)).isLetter || $0 < 0x3a
            })
    }

    @Test("never traps, and what is let through keeps its promises")
    func calls() throws {
        var random = SeededRandom(for: "damaged calls")
        var letThrough = 0
        for _ in 0..<6_000 {
            let line = Array(Self.valid.randomElement(using: &random)?.utf8 ?? "".utf8)
            let bytes = HTTPMutationTests.damage(line, &random) + Array("\r\nHost: a\r\n\r\n".utf8)
            var parser = HTTPRequestParser()
            do {
                guard let head = try bytes.withUnsafeBytes({ try parser.next(in: $0) }) else { continue }
                guard Route(head) == .data else { continue }
                try Self.check(RESTCall(head))
                letThrough += 1
            } catch {
                let status = (error as? RESTError)?.status ?? (error as? HTTPParseError)?.status ?? 0
                #expect([400, 401, 405, 413, 414, 431, 501, 505].contains(status), "\(error)")
            }
        }
        #expect(letThrough > 100)
    }
}
