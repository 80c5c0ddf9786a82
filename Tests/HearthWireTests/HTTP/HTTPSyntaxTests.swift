// Every byte at every place of a name, a value, a target and a host: allowed where RFC 9110 allows it.

import HearthWire
import Testing

@Suite("A byte of a request")
struct HTTPSyntaxTests {
    static func status(_ before: String, _ middle: [UInt8], _ after: String) -> Int? {
        let result = RequestFeed.run(Array(before.utf8) + middle + Array(after.utf8), arrival: .whole)
        if result.error == nil && result.requests.count == 1 { return 200 }
        return result.error?.status
    }

    /// `tchar`, written out as the RFC does.
    static let token = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    @Test("may stand in a header's name if it is a token character")
    func names() {
        for byte in UInt8.min...UInt8.max where byte != 0x3a {
            let status = Self.status("GET / HTTP/1.1\r\nHost: a\r\nX", [byte], "Y: b\r\n\r\n")
            #expect((status == 200) == Self.token.contains(byte), "byte \(byte)")
        }
    }

    @Test("may stand in a method if it is a token character")
    func methods() {
        for byte in UInt8.min...UInt8.max where byte != 0x20 {
            let status = Self.status("X", [byte], "Y / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect((status == 200) == Self.token.contains(byte), "byte \(byte)")
        }
    }

    @Test("may stand in a value unless it is a control character, wherever it stands in a word of eight")
    func values() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<18 {
                var value = [UInt8](repeating: 0x61, count: 18)
                value[place] = byte
                let status = Self.status("GET / HTTP/1.1\r\nHost: a\r\nX: b", value, "c\r\n\r\n")
                let isAllowed = byte >= 0x20 && byte != 0x7f || byte == 0x09
                #expect((status == 200) == isAllowed, "byte \(byte) at \(place)")
            }
        }
    }

    @Test("may stand in a target unless it is a space, a control character or a number sign")
    func targets() {
        for byte in UInt8.min...UInt8.max {
            let status = Self.status("GET /a", [byte], "b HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect((status == 200) == (byte > 0x20 && byte != 0x7f && byte != 0x23), "byte \(byte)")
        }
    }

    @Test("may stand in a host if it is a letter, a digit or one of . - _ ~")
    func hosts() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_~".utf8)
        for byte in UInt8.min...UInt8.max where byte != 0x3a {
            let status = Self.status("GET / HTTP/1.1\r\nHost: a", [byte], "b\r\n\r\n")
            #expect((status == 200) == allowed.contains(byte), "byte \(byte)")
        }
    }

    @Test("that ends a line is found at every place in a word of eight")
    func lineEnds() {
        for length in 0..<40 {
            let value = [UInt8](repeating: 0x61, count: length)
            let status = Self.status("GET / HTTP/1.1\r\nHost: a\r\nX:", value, "\r\nY: b\r\n\r\n")
            #expect(status == 200, "length \(length)")
        }
    }

    @Test("names no other method in another case or with one byte changed")
    func spellings() throws {
        for name in ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"] {
            let method = try #require(HTTPMethod(name))
            #expect("\(method.text)" == name)
            #expect(
                RequestFeed.run("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n", arrival: .whole).requests
                    == ["\(method) / host=a none"])
            for index in name.indices {
                var changed = name
                changed.replaceSubrange(index...index, with: "Z")
                let heads = RequestFeed.run("\(changed) / HTTP/1.1\r\nHost: a\r\n\r\n", arrival: .whole)
                    .requests
                #expect(heads == ["other / host=a none"])
                #expect(HTTPMethod(changed) == nil)
            }
            #expect(HTTPMethod(name.lowercased()) == nil)
        }
        #expect("\(HTTPMethod.other.text)".isEmpty)
    }
}
