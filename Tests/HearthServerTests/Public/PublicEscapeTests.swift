// Nothing but what lies in the public directory is ever read through it.
import Foundation
import Glibc
import HearthServer
import Testing

@Suite("The public directory")
struct PublicEscapeTests {
    @Test(
        "lets no path out",
        arguments: [
            "/../secret.txt", "/%2e%2e/secret.txt", "/a/../../secret.txt", "/..%2fsecret.txt",
            "/%2e%2e%2fsecret.txt", "/..%5csecret.txt", "/a/%2e%2e/%2e%2e/secret.txt",
            "/%252e%252e/secret.txt",
            "/.%2e/secret.txt", "//../secret.txt", "/a%00/../../secret.txt", "/out/secret.txt", "/out.txt",
            "/chain.txt", "/absolute.txt", "/.hidden", "/a/.hidden", "/to-hidden.txt", "/hidden-directory/x",
            "/%2ehidden", "/pipe", "/a", "/proc/self/environ", "/loop", "/.",
        ])
    func escapes(target: String) throws {
        try withPublicServer { folder, server in
            try prepare(folder)
            let client = try TestClient(server)
            let reply = try client.ask("GET", target)
            #expect(!reply.body.contains("secret"), "\(target)")
            #expect([302, 404].contains(reply.status), "\(target): \(reply.status)")
            // The connection goes on, and what may be read still is.
            #expect(try client.ask("GET", "/inner.txt").body == "open")
        }
    }

    private func prepare(_ folder: PublicFolder) throws {
        try folder.write("../secret.txt", "secret")
        try folder.write("a/open.txt", "open")
        try folder.write(".hidden", "secret")
        try folder.write("a/.hidden", "secret")
        try folder.write(".git/x", "secret")
        try folder.link("out", to: "..")
        try folder.link("out.txt", to: "../secret.txt")
        try folder.link("chain.txt", to: "out.txt")
        try folder.link("absolute.txt", to: folder.top.path + "/secret.txt")
        try folder.link("to-hidden.txt", to: "a/.hidden")
        try folder.link("hidden-directory", to: ".git")
        try folder.link("inner.txt", to: "a/open.txt")
        try folder.link("proc", to: "/proc")
        try folder.link("loop", to: "loop")
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    }

    @Test("does not lead to the data directory, also when a link is pointed at it later")
    func dataDirectory() throws {
        let folder = try PublicFolder()
        let data = folder.top.path + "/data"
        let link = folder.top.path + "/current"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "web")
        try folder.write("index.html", "web")
        try withServer {
            $0.storage = .directory(data)
            $0.publicDirectory = link
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/").body == "web")
            for place in [data, folder.top.path] {
                #expect(unlink(link) == 0)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place)
                #expect(try client.ask("GET", "/admin-token").status == 404)
                #expect(try client.ask("GET", "/data/admin-token").status == 404)
                #expect(try client.ask("GET", "/data/format").status == 404)
            }
        }
    }

    /// Whether a server starts, and if not, what it says.
    private func fault(_ change: (inout Configuration) -> Void) -> String? {
        do {
            try withServer(change) { _ in }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("is refused at the start when it is missing or no directory")
    func missing() throws {
        let folder = try PublicFolder()
        try folder.write("file", "")
        for path in [folder.path + "/none", folder.path + "/file"] {
            let text = try #require(fault { $0.publicDirectory = path })
            #expect(text.contains("--public") && text.contains(path))
        }
    }

    @Test(
        "is refused at the start when it holds the data directory, or lies in it",
        arguments: [("web", "web/data"), ("web", "web"), ("data/web", "data"), ("web", "link/data")])
    func holdsData(publicName: String, dataName: String) throws {
        let folder = try PublicFolder()
        let top = folder.top.path
        try FileManager.default.createDirectory(
            atPath: top + "/" + publicName, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: top + "/link", withDestinationPath: "web")
        let text = try #require(
            fault {
                $0.publicDirectory = top + "/" + publicName
                $0.storage = .directory(top + "/" + dataName)
            })
        #expect(text.contains("the data directory") && text.contains("a directory of its own"))
        #expect(!FileManager.default.fileExists(atPath: top + "/" + dataName + "/format"))
    }

    @Test("is refused at the start when it holds a secret")
    func holdsSecrets() throws {
        let folder = try PublicFolder()
        let text = try #require(
            fault {
                $0.publicDirectory = folder.path
                $0.storage = .directory(folder.top.path + "/data")
                $0.adminTokenFile = folder.path + "/keys/token"
            })
        #expect(text.contains("the administrator's token"))
        try folder.write("key", String(repeating: "k", count: 40))
        let second = try #require(
            fault {
                $0.publicDirectory = folder.path
                $0.tokens.project = "chat"
                $0.tokens.secretFile = folder.path + "/key"
            })
        #expect(second.contains("the secret"))
    }
}
