// Files of the public directory, as browsers ask for them.
import Foundation
import Glibc
import HearthServer
import Testing

@Suite("A public file")
struct PublicFileTests {
    @Test(
        "is sent with its type",
        arguments: [
            ("index.html", "/", "text/html; charset=utf-8"),
            ("app.js", "/app.js", "text/javascript; charset=utf-8"),
            ("a/style.CSS", "/a/style.CSS", "text/css; charset=utf-8"),
            ("logo.svg", "/logo.svg", "image/svg+xml"),
            ("a b.png", "/a%20b.png", "image/png"), ("LICENSE", "/LICENSE", "application/octet-stream"),
            ("x.exe", "/x.exe", "application/octet-stream"),
            ("a/b/index.html", "/a/b/?x=1", "text/html; charset=utf-8"),
            ("site.webmanifest", "/site.webmanifest", "application/manifest+json; charset=utf-8"),
        ])
    func types(name: String, target: String, type: String) throws {
        try withPublicServer { folder, server in
            try folder.write(name, "content of \(name)")
            let client = try TestClient(server)
            let reply = try client.ask("GET", target)
            #expect(reply.status == 200 && reply.body == "content of \(name)")
            #expect(reply.headers["content-type"] == type)
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["x-frame-options"] == "SAMEORIGIN")
            #expect(reply.headers["cache-control"] == "no-cache")
            #expect(reply.headers["access-control-allow-origin"] == nil)
            let head = try client.ask("HEAD", target)
            #expect(head.status == 200 && head.headers == reply.headers)
        }
    }

    @Test("is not sent again to who has it, until it changes")
    func conditions() throws {
        try withPublicServer { folder, server in
            try folder.write("app.js", "one")
            let client = try TestClient(server)
            let first = try client.ask("GET", "/app.js")
            let tag = try #require(first.headers["etag"])
            let date = try #require(first.headers["last-modified"])
            for condition in [
                "If-None-Match: \(tag)", "If-None-Match: \"other\", W/\(tag)", "If-None-Match: *",
                "If-Modified-Since: \(date)",
            ] {
                let reply = try client.ask("GET", "/app.js", [condition])
                #expect(reply.status == 304 && reply.body.isEmpty, "\(condition)")
                #expect(reply.headers["etag"] == tag)
                #expect(try client.ask("HEAD", "/app.js", [condition]).status == 304)
            }
            let both = ["If-None-Match: \"other\"", "If-Modified-Since: \(date)"]
            #expect(try client.ask("GET", "/app.js", both).status == 200)
            #expect(try client.ask("GET", "/app.js", ["If-Modified-Since: yesterday"]).status == 200)
            // Of another size: a file system may tell time too coarsely for two writes of a test.
            try folder.write("app.js", "second")
            let second = try client.ask("GET", "/app.js", ["If-None-Match: \(tag)"])
            #expect(second.status == 200 && second.body == "second" && second.headers["etag"] != tag)
        }
    }

    @Test("is sent in part to who asks for a part of the very file that is there")
    func ranges() throws {
        try withPublicServer { folder, server in
            try folder.write("film.webm", "0123456789")
            let client = try TestClient(server)
            let whole = try client.ask("GET", "/film.webm")
            let tag = try #require(whole.headers["etag"])
            #expect(whole.headers["accept-ranges"] == "bytes")
            let part = try client.ask("GET", "/film.webm", ["Range: bytes=2-4", "If-Range: \(tag)"])
            #expect(part.status == 206 && part.body == "234")
            #expect(part.headers["content-range"] == "bytes 2-4/10" && part.headers["content-length"] == "3")
            let stale = try client.ask("GET", "/film.webm", ["Range: bytes=2-4", "If-Range: \"old\""])
            #expect(stale.status == 200 && stale.body == "0123456789")
            let beyond = try client.ask("GET", "/film.webm", ["Range: bytes=10-"])
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */10")
            #expect(try client.ask("GET", "/film.webm", ["Range: bytes=-2"]).body == "89")
        }
    }

    @Test("of any size is sent whole, also to several at once and to those who begin in the middle")
    func large() throws {
        try withPublicServer { folder, server in
            let bytes = (0..<700_001).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            try folder.write("large.txt", bytes)
            try folder.write("empty.txt", "")
            let text = String(decoding: bytes, as: UTF8.self)
            let clients = try (0..<4).map { _ in try TestClient(server) }
            for client in clients {
                client.begin("GET", "/large.txt")
                client.begin("GET", "/large.txt", ["Range: bytes=300000-"])
                client.begin("GET", "/empty.txt")
            }
            for client in clients {
                #expect(try client.read().body == text)
                #expect(try client.read().body == String(text.dropFirst(300_000)))
                let empty = try client.read()
                #expect(empty.status == 200 && empty.headers["content-length"] == "0")
            }
        }
    }

    @Test("that is cut while it is sent ends the connection, so that nobody takes a part for all")
    func cut() throws {
        try withPublicServer { folder, server in
            let byteCount = 32 << 20
            try folder.write("large.bin", [UInt8](repeating: 7, count: byteCount))
            let client = try TestClient(server)
            client.begin("GET", "/large.bin")
            let head = try client.readHead()
            #expect(head.headers["content-length"] == "\(byteCount)")
            #expect(truncate(folder.path + "/large.bin", 0) == 0)
            #expect(client.readToEnd().utf8.count < byteCount)
        }
    }

    @Test("of a directory is its index.html; without a slash the client is sent there")
    func directories() throws {
        try withPublicServer { folder, server in
            try folder.write("docs/index.html", "docs")
            try folder.write("bare/a.txt", "a")
            let client = try TestClient(server)
            let reply = try client.ask("GET", "/docs")
            #expect(reply.status == 302 && reply.headers["location"] == "/docs/")
            #expect(try client.ask("GET", "/docs/").body == "docs")
            #expect(try client.ask("GET", "/bare/").status == 404)
            #expect(try client.ask("GET", "/docs/index.html/").status == 404)
            #expect(try client.ask("GET", "/").status == 404)
            #expect(try client.ask("GET", "//docs").status == 404)
        }
    }

    @Test("is read and nothing else", arguments: ["PUT", "POST", "PATCH", "DELETE"])
    func methods(method: String) throws {
        try withPublicServer { folder, server in
            try folder.write("a.html", "a")
            let client = try TestClient(server)
            let reply = try client.ask(method, "/a.html", body: "b")
            #expect(reply.status == 405 && reply.headers["allow"] == "GET, HEAD, OPTIONS")
            #expect(try client.ask("GET", "/a.html").body == "a")
        }
    }

    @Test("comes last: data, settings and accounts keep their addresses")
    func last() throws {
        try withPublicServer { folder, server in
            try folder.write("a.json", "public")
            try folder.write("v1/accounts", "public")
            try folder.write(".health", "public")
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/a.json").body == "null")
            #expect(try client.ask("GET", "/.health").body != "public")
            #expect(try client.ask("GET", "/v1/accounts").status != 200)
        }
    }

    @Test("that is missing is 404, as without a public directory")
    func missing() throws {
        try withPublicServer { _, server in
            let reply = try TestClient(server).ask("GET", "/missing.html")
            #expect(reply.status == 404 && reply.body.contains(".json"))
        }
        try withServer { server in
            let reply = try TestClient(server).ask("GET", "/index.html")
            #expect(reply.body.contains("append .json"))
        }
    }

    @Test("is found anew when the directory is a link that now leads elsewhere")
    func deployment() throws {
        let folder = try PublicFolder()
        try folder.write("../one/index.html", "one")
        try folder.write("../two/index.html", "two")
        let link = folder.top.path + "/current"
        let files = FileManager.default
        try files.createSymbolicLink(atPath: link, withDestinationPath: "one")
        try withServer {
            $0.publicDirectory = link
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/").body == "one")
            try files.createSymbolicLink(atPath: link + "-next", withDestinationPath: "two")
            #expect(rename(link + "-next", link) == 0)
            #expect(try client.ask("GET", "/").body == "two")
            #expect(unlink(link) == 0)
            let gone = try client.ask("GET", "/")
            #expect(gone.status == 503 && !gone.body.contains(folder.top.path))
        }
    }
}
