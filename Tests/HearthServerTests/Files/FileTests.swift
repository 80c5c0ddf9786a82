// Uploaded files over HTTP: stored, read in whole and in part, removed, and kept.
import Foundation
import HearthServer
import HearthTesting
import Testing

/// The beginning of a picture, with some more bytes.
private let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + (0..<2_000).map { UInt8($0 % 251) }

extension Server {
    /// A client that takes answers as bytes.
    fileprivate func wire() throws -> WireClient {
        try WireClient(port: try #require(addresses.first?.port))
    }
}

@Suite("An uploaded file")
struct FileTests {
    private static let cat = "/.files/rooms/lobby/cat.png"

    @Test("is stored, read with its type, replaced and removed")
    func life() throws {
        try withServer { server in
            let client = try server.wire()
            #expect(try client.ask("GET", Self.cat).status == 404)
            let stored = try client.ask("PUT", Self.cat, ["Content-Type: image/png"], body: picture)
            #expect(stored.status == 200)
            let tag = try #require(stored.headers["etag"])
            let quoted = tag.replacingOccurrences(of: "\"", with: "\\\"")
            #expect(
                stored.text
                    == #"{"path":"rooms/lobby/cat.png","contentType":"image/png","size":2008,"#
                    + #""etag":"\#(quoted)"}"#
            )
            let read = try client.ask("GET", Self.cat)
            #expect(read.status == 200 && read.body == picture)
            let expected = [
                "content-type": "image/png", "content-length": "2008", "etag": tag, "accept-ranges": "bytes",
                "content-security-policy": "sandbox; default-src 'none'", "x-content-type-options": "nosniff",
                "referrer-policy": "no-referrer", "cache-control": "no-cache",
            ]
            for (name, value) in expected { #expect(read.headers[name] == value, "\(name)") }
            #expect(read.headers["content-disposition"] == nil)
            let head = try client.ask("HEAD", Self.cat)
            #expect(head.status == 200 && head.headers == read.headers && head.body.isEmpty)
            #expect(try client.ask("GET", Self.cat, ["If-None-Match: \(tag)"]).status == 304)
            let part = try client.ask("GET", Self.cat, ["Range: bytes=1-3"])
            #expect(part.status == 206 && part.text == "PNG")
            #expect(part.headers["content-range"] == "bytes 1-3/2008")
            let other = try client.ask("PUT", Self.cat, ["Content-Type: text/plain"], body: Array("x".utf8))
            #expect(other.status == 200 && other.headers["etag"] != tag)
            #expect(try client.ask("GET", Self.cat).text == "x")
            #expect(try client.ask("DELETE", Self.cat).text == "null")
            #expect(try client.ask("GET", Self.cat).status == 404)
            #expect(try client.ask("DELETE", Self.cat).text == "null")
        }
    }

    @Test("can be empty, and of any size up to the limit")
    func sizes() throws {
        try withServer {
            $0.limits.fileBytes = 3_000_000
        } _: { server in
            let client = try server.wire()
            for count in [0, 1, 131_071, 131_072, 3_000_000] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 >> 5) }
                #expect(try client.ask("PUT", "/.files/a/\(count)", body: bytes).status == 200, "\(count)")
                #expect(try client.ask("GET", "/.files/a/\(count)").body == bytes, "\(count)")
            }
            let refused = try client.ask("PUT", "/.files/b", ["Content-Length: 3000001"])
            #expect(refused.status == 413)
        }
    }

    @Test("is never a page of ours: what is no picture, sound or film is for saving")
    func attachments() throws {
        try withServer { server in
            let client = try server.wire()
            let page = Array("<script>alert(1)</script>".utf8)
            for type in ["text/html", "text/html; charset=utf-8", "application/xhtml+xml", "text/javascript"]
            {
                #expect(
                    try client.ask("PUT", "/.files/a.png", ["Content-Type: \(type)"], body: page).status
                        == 200)
                let reply = try client.ask("GET", "/.files/a.png")
                #expect(reply.headers["content-disposition"] == "attachment")
                #expect(reply.headers["content-security-policy"] == "sandbox; default-src 'none'")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["content-type"] == type.split(separator: ";").first.map(String.init))
            }
            _ = try client.ask("PUT", "/.files/a.html", body: page)
            let unnamed = try client.ask("GET", "/.files/a.html")
            #expect(unnamed.headers["content-type"] == "application/octet-stream")
        }
    }

    @Test(
        "that is not what it is said to be is refused, and nothing of it stays",
        arguments: [
            ("image/png", "<svg onload='alert(1)'/>"), ("image/svg+xml", "<svg xmlns='x'/>"),
            ("image/jpeg", "\u{89}PNG"), ("video/mp4", "GIF89a"), ("audio/mpeg", ""), ("IMAGE/PNG", "x"),
        ])
    func mistyped(type: String, content: String) throws {
        try withServer { server in
            let client = try server.wire()
            let reply = try client.ask(
                "PUT", "/.files/a", ["Content-Type: \(type)"], body: Array(content.utf8))
            #expect(reply.status == 415 && reply.text.contains(type.lowercased()))
            #expect(try client.ask("GET", "/.files/a").status == 404)
        }
    }

    @Test(
        "is refused with what is wrong",
        arguments: [
            ("PUT /.files/a HTTP/1.1\r\nTransfer-Encoding: chunked", "1\r\nx\r\n0\r\n\r\n", 411),
            ("PUT /.files/a HTTP/1.1\r\nContent-Length: 1\r\nContent-Type: nonsense", "x", 400),
            (
                "PUT /.files/a HTTP/1.1\r\nContent-Length: 1\r\nContent-Type: a/b\r\nContent-Type: c/d", "x",
                400
            ),
            ("POST /.files/a HTTP/1.1\r\nContent-Length: 1", "x", 405), ("PATCH /.files/a HTTP/1.1", "", 405),
            ("PUT /.files/../secret HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a/%2e%2e/b HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a//b HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a/ HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/ HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a%00 HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a%5Cb HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/%ff HTTP/1.1\r\nContent-Length: 1", "x", 404),
            ("PUT /.files/a?ns=no/name HTTP/1.1\r\nContent-Length: 1", "x", 400),
            ("PUT /.files/a?ns=missing HTTP/1.1\r\nContent-Length: 1", "x", 404),
            ("PUT /.files/a HTTP/1.1\r\nContent-Length: 1\r\nOrigin: https://evil.example", "x", 403),
        ])
    func refusals(head: String, body: String, status: Int) throws {
        try withServer { server in
            let client = try server.wire()
            client.send("\(head)\r\nHost: localhost\r\n\r\n\(body)")
            let reply = try client.read()
            #expect(reply.status == status, "\(reply)")
            #expect(try client.ask("GET", "/.files/a").status == 404)
            #expect(try client.ask("GET", "/secret.json").text == "null")
        }
    }

    @Test("is not taken beyond the quota, and its room comes back when it is removed or broken off")
    func quota() throws {
        let directory = TemporaryDirectory()
        try withServer {
            $0.storage = .directory(directory.path)
            $0.limits.allFileBytes = 1_000_000
        } _: { server in
            let client = try server.wire()
            let half = [UInt8](repeating: 7, count: 600_000)
            #expect(try client.ask("PUT", "/.files/a", body: half).status == 200)
            let refused = try client.ask("PUT", "/.files/b", body: half)
            #expect(refused.status == 507 && refused.text.contains("--files-quota"))
            #expect(try client.ask("DELETE", "/.files/a").status == 200)
            for _ in 0..<5 {
                let other = try server.wire()
                other.begin("PUT", "/.files/b", ["Content-Length: 600000"])
                other.send([UInt8](repeating: 7, count: 300_000))
            }
            // Those are gone; the server finds that out in its own time.
            while try client.ask("PUT", "/.files/a", body: half).status == 507 {}
            #expect(try client.ask("GET", "/.files/b").status == 404)
            #expect(try client.ask("GET", "/.files/a").body == half)
        }
    }

    @Test("leaves nothing when it is not finished, also after a crash")
    func unfinished() throws {
        let directory = TemporaryDirectory()
        try withServer {
            $0.storage = .directory(directory.path)
        } _: { server in
            let client = try server.wire()
            do {
                let other = try server.wire()
                other.begin("PUT", "/.files/a", ["Content-Length: 2000000"])
                other.send([UInt8](repeating: 1, count: 1_000_000))
                while try !directory.names.contains(where: { $0.hasPrefix("upload-") }) {
                    #expect(try client.ask("GET", "/.health").status == 200)
                }
            }
            while try directory.names.contains(where: { $0.hasPrefix("upload-") }) {
                #expect(try client.ask("GET", "/.health").status == 200)
            }
            #expect(try client.ask("GET", "/.files/a").status == 404)
        }
        let leftover = directory.path + "/upload-3.unfinished"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: leftover))
        try withServer {
            $0.storage = .directory(directory.path)
        } _: { _ in
            #expect(!FileManager.default.fileExists(atPath: leftover))
        }
    }

    @Test("is there after a start, in a backup, and gone with its database")
    func keeping() throws {
        let directory = TemporaryDirectory()
        let change: (inout Configuration) -> Void = { $0.storage = .directory(directory.path) }
        try withServer(change) { server in
            let client = try server.wire()
            let admin = [
                "Authorization: Bearer \(try directory.text(of: "admin-token").filter { $0 != "\n" })"
            ]
            #expect(try client.ask("PUT", Self.cat, ["Content-Type: image/png"], body: picture).status == 200)
            #expect(try client.ask("PUT", Self.cat + "?ns=chat", admin, body: [1]).status == 200)
            #expect(try client.ask("GET", Self.cat).body == picture)
        }
        try withServer(change) { server in
            let client = try server.wire()
            let admin = [
                "Authorization: Bearer \(try directory.text(of: "admin-token").filter { $0 != "\n" })"
            ]
            let reply = try client.ask("GET", Self.cat)
            #expect(reply.body == picture && reply.headers["content-type"] == "image/png")
            #expect(try client.ask("GET", Self.cat + "?ns=chat").body == [1])
            #expect(try client.ask("DELETE", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            #expect(try client.ask("GET", Self.cat + "?ns=chat", admin).status == 404)
            _ = try client.ask("PUT", "/a.json?ns=chat", admin, body: [0x31])
            #expect(try client.ask("GET", Self.cat + "?ns=chat", admin).status == 404)
            #expect(try client.ask("GET", Self.cat).body == picture)
        }
    }

    @Test("waits for permission to be sent, and is refused before it is")
    func expectations() throws {
        try withServer {
            $0.limits.fileBytes = 10
        } _: { server in
            let client = try server.wire()
            client.begin("PUT", "/.files/a", ["Content-Length: 4", "Expect: 100-continue"])
            #expect(try client.read().status == 100)
            client.send("text")
            #expect(try client.read().status == 200)
            client.begin("PUT", "/.files/a", ["Content-Length: 11", "Expect: 100-continue"])
            #expect(try client.read().status == 413)
        }
    }
}
