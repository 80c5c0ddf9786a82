// Lookups in the header lines of a request.

import HearthWire
import Testing

@Suite("Header fields")
struct HTTPFieldsTests {
    static func head(_ lines: String...) throws -> HTTPRequestHead {
        let text = "GET /a.json HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        var parser = HTTPRequestParser()
        let head = try Array(text.utf8).withUnsafeBytes { try parser.next(in: $0) }
        return try #require(head)
    }

    @Test("are found whatever the case of their names, without the blanks around the value")
    func found() throws {
        let head = try Self.head("IF-MATCH: \t null_etag ", "Accept:text/html")
        #expect(head.fields.value(of: .ifMatch).map(head.fields.text) == "null_etag")
        #expect(head.fields.value(of: .accept).map(head.fields.text) == "text/html")
        #expect(head.fields.value(of: .authorization) == nil)
        #expect(head.fields.value(of: .ifNoneMatch) == nil)
        #expect(head.fields.count == 3)
    }

    @Test("of the same name are counted, and the first is found")
    func repeated() throws {
        let head = try Self.head("Authorization: Bearer a", "authorization: Bearer b")
        #expect(head.fields.count(of: .authorization) == 2)
        #expect(head.fields.value(of: .authorization).map(head.fields.text) == "Bearer a")
    }

    @Test(
        "with lists are searched for a whole element",
        arguments: [
            ("text/event-stream", true), ("text/html, Text/Event-Stream", true),
            ("a,text/event-stream;q=0.5,b", true),
            ("text/event-streams", false), ("xtext/event-stream", false), ("", false), (",,", false),
            ("text/html;a=text/event-stream", false),
        ])
    func lists(value: String, expected: Bool) throws {
        let head = try Self.head("Accept: \(value)")
        #expect(head.fields.value(of: .accept, has: "text/event-stream") == expected)
    }

    @Test("outlive the parser that is reused")
    func outlives() throws {
        var parser = HTTPRequestParser()
        let first = Array("GET /first HTTP/1.1\r\nHost: one\r\n\r\n".utf8)
        let second = Array("PUT /second?x HTTP/1.1\r\nHost: two\r\nA: b\r\n\r\n".utf8)
        let one = try #require(try first.withUnsafeBytes { try parser.next(in: $0) })
        let two = try #require(try second.withUnsafeBytes { try parser.next(in: $0) })
        parser.releaseStorage()
        #expect(RequestFeed.describe(one) == "get /first host=one none")
        #expect(RequestFeed.describe(two) == "put /second ?x host=two none")
    }
}
