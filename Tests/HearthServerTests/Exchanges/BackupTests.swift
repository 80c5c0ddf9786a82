// A backup of a running server, and the directory made from it.
import Foundation
import HearthCrypto
import HearthServer
import HearthStorage
import Testing

@Suite("A backup")
struct BackupTests {
    @Test("of a running server becomes a directory with the same content")
    func restore() throws {
        let original = TemporaryDirectory()
        let copy = TemporaryDirectory()
        let files = TemporaryDirectory()
        let members = (0..<3_000).map { "\"k\($0 + 100_000)\":{\"text\":\"message \($0)\"}" }
        let text = "{" + members.joined(separator: ",") + "}"
        try withServer {
            $0.storage = .directory(original.path)
        } _: { server in
            let client = try TestClient(server)
            let admin = [
                "Authorization: Bearer \(try original.text(of: "admin-token").filter { $0 != "\n" })"
            ]
            _ = try client.ask("PUT", "/rooms.json", body: text)
            _ = try client.ask("PUT", "/a.json?ns=chat", admin, body: "1")
            #expect(try client.ask("GET", "/.settings/backup.json").status == 401)
            client.begin("GET", "/.settings/backup.json", admin)
            let head = try client.readHead()
            #expect(head.status == 200)
            var bytes: [UInt8] = []
            while let chunk = try client.readChunk() { bytes += chunk }
            try FileManager.default.createDirectory(atPath: files.path, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: files.path + "/hearth.backup"))
            // One that nobody reads holds up no stop.
            client.begin("GET", "/.settings/backup.json", admin)
            #expect(try client.readHead().status == 200)
        }
        _ = try Backup.restore(
            "hearth.backup", on: SystemDisk(files.path), to: SystemDisk(copy.path), random: SecureRandom())
        try withServer {
            $0.storage = .directory(copy.path)
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/rooms.json").body == text)
            #expect(try client.ask("GET", "/a.json?ns=chat").body == "1")
        }
    }
}
