// What sessions leave for their end is written exactly once, whatever ends them: crash, stop or start.
import Foundation
import HearthCore
import HearthEngine
import HearthStorage
import Testing

@testable import HearthServer

/// A server's own namespace, with what its sessions ask for.
private struct Database {
    let server: Server
    let namespace: Namespace

    init(_ server: Server) throws {
        self.server = server
        namespace = try #require(server.services.namespaces.find("default"))
    }

    func change(_ change: OnDisconnectChange, of session: String, by asker: Asker = .administrator) throws {
        let request = OnDisconnectRequest(session: session, asker: asker, change: change)
        _ = try namespace.onDisconnect(request, services: server.services, from: nil)
    }

    func set(_ path: String, _ json: String, of session: String, by asker: Asker = .administrator) throws {
        let place = try Path(path)
        let draft = try DraftReader.draft(Array(json.utf8), at: place)
        try change(.add(.set(place, draft)), of: session, by: asker)
    }

    func write(_ path: String, _ json: String) throws {
        let place = try Path(path)
        let draft = try DraftReader.draft(Array(json.utf8), at: place)
        _ = try namespace.write(
            Namespace.Request(form: .write(.set(place, draft))), services: server.services, from: nil)
    }

    func end(_ session: String) -> Publication? {
        namespace.runOnDisconnect(of: session, services: server.services, from: nil)
    }

    var text: String {
        let root = namespace.newest()?.state.root ?? .empty
        return String(decoding: NodeSerializer.bytes(of: root, .export), as: UTF8.self)
    }

    /// The files as a crash would leave them now, all that was recorded synced.
    func crashed() throws -> TemporaryDirectory {
        let vault = try #require(server.services.vault)
        let durable = vault.journal.settle()
        #expect(durable == server.services.recorder.last)
        let copy = TemporaryDirectory()
        guard case .directory(let path) = server.services.configuration.storage else { return copy }
        let files = FileManager.default
        try files.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        // What is being made ahead of need holds nothing, and may be renamed at any moment.
        for name in try files.contentsOfDirectory(atPath: path) where !name.hasSuffix(".unfinished") {
            try files.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
        }
        return copy
    }
}

@Suite("What a session leaves for its end")
struct OnDisconnectStoryTests {
    private func onDisk(_ directory: TemporaryDirectory) -> (inout Configuration) -> Void {
        { $0.storage = .directory(directory.path) }
    }

    private func expect(_ text: String, from directory: TemporaryDirectory) throws {
        try withServer(onDisk(directory)) { server in
            let database = try Database(server)
            #expect(database.text == text)
        }
    }

    private static let start = #"{"count":5,"online":{"ann":true,"bob":true}}"#

    /// Registrations of two sessions, of which one is cancelled in part.
    private func register(_ database: Database) throws {
        try database.write("/", Self.start)
        try database.set("/online/ann", "null", of: "first")
        try database.set("/count", #"{".sv":{"increment":-1}}"#, of: "first")
        try database.set("/online/bob", "null", of: "second")
        try database.set("/left", "1", of: "second")
        try database.change(.cancel(try Path("/online")), of: "second")
        try database.set("/never", "1", of: "third")
        try database.change(.cancel(.root), of: "third")
    }

    private static let end = #"{"count":4,"left":1,"online":{"bob":true}}"#

    @Test("is written at the next start after a crash, once", arguments: [false, true])
    func crash(afterCheckpoint: Bool) throws {
        let directory = TemporaryDirectory()
        var crashed = directory
        try withServer(onDisk(directory)) { server in
            let database = try Database(server)
            try register(database)
            if afterCheckpoint {
                #expect(server.services.vault?.checkpoint(server.services, whenIdle: false) == nil)
            }
            crashed = try database.crashed()
            #expect(database.text == Self.start)
        }
        // Crash upon crash: what was run is not run again.
        for _ in 0..<3 {
            let directory = crashed
            try withServer(onDisk(directory)) { server in
                let database = try Database(server)
                #expect(database.text == Self.end)
                crashed = try database.crashed()
            }
        }
    }

    @Test("is written when the server stops, and not again at the next start")
    func stop() throws {
        let directory = TemporaryDirectory()
        try withServer(onDisk(directory)) { server in try register(Database(server)) }
        for _ in 0..<2 {
            try expect(Self.end, from: directory)
        }
    }

    @Test("is written when the session ends, and not again after a crash")
    func ended() throws {
        let directory = TemporaryDirectory()
        var crashed = directory
        try withServer(onDisk(directory)) { server in
            let database = try Database(server)
            try register(database)
            let publication = try #require(database.end("first"))
            #expect(publication.commit.edits.count == 2)
            #expect(database.end("first") == nil && database.end("third") == nil)
            #expect(database.text == #"{"count":4,"online":{"bob":true}}"#)
            crashed = try database.crashed()
        }
        try expect(Self.end, from: crashed)
    }

    @Test("is judged after a crash in the name of whoever the session was, under the rules of then")
    func judged() throws {
        let directory = TemporaryDirectory()
        var crashed = directory
        func client(_ uid: String) -> Asker {
            .client(Auth(uid: uid, provider: "password", token: [:]), isLocal: false)
        }
        try withServer(onDisk(directory)) { server in
            let database = try Database(server)
            let rules = #"{"rules":{"u":{"$uid":{".write":"auth !== null && auth.uid === $uid"}}}}"#
            let set = Namespace.Request(form: .write(.rules(Array(rules.utf8))))
            _ = try database.namespace.write(set, services: server.services, from: nil)
            try database.set("/u/ann", "1", of: "first", by: client("ann"))
            try database.set("/u/bob", "1", of: "second", by: client("bob"))
            try database.change(.rename, of: "second", by: client("eve"))
            #expect(throws: WriteRefusal.self) {
                try database.set("/u/bob", "2", of: "third", by: client("eve"))
            }
            crashed = try database.crashed()
        }
        try expect(#"{"u":{"ann":1}}"#, from: crashed)
    }

    @Test("is lost with its database, and kept in memory where there are no files")
    func withoutFiles() throws {
        try withServer { server in
            let database = try Database(server)
            try register(database)
            #expect(database.namespace.capture()?.onDisconnect.count == 2)
            #expect(database.end("first") != nil)
            #expect(database.namespace.capture()?.onDisconnect.count == 1)
            _ = server.services.namespaces.delete("default", services: server.services)
            #expect(database.end("second") == nil)
            #expect(throws: WriteRefusal.self) { try database.set("/a", "1", of: "fourth") }
        }
    }
}

@Suite("A write that expects a hash")
struct ExpectedHashTests {
    @Test("counts each step of many at once, over small values and large ones", arguments: [10, 100_000])
    func transactions(textLength: Int) async throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0)]
        let server = try Server.start(configuration)
        defer { server.stop() }
        let database = try Database(server)
        let text = String(repeating: "x", count: textLength)
        try database.write("/room", #"{"count":0,"text":"\#(text)"}"#)
        let place = try Path("/room")
        let count = place.appending(try Key("count"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 { Self.step(database, place, count) }
                }
            }
        }
        #expect(database.namespace.newest()?.state.root.descendant(at: count).leaf == .integer(100))
    }

    /// Raises the count by one, as often as it takes.
    private static func step(_ database: Database, _ place: Path, _ count: Path) {
        while true {
            guard let root = database.namespace.newest()?.state.root,
                case .integer(let number)? = root.descendant(at: count).leaf
            else {
                Issue.record("there is no count")
                return
            }
            let room = root.descendant(at: place)
            let next = root.setting(Node(.integer(number + 1)), at: count).descendant(at: place)
            do throws(WriteRefusal) {
                let request = Namespace.Request(
                    form: .write(.set(place, Draft(next))),
                    condition: .listenHash(room.listenHash, lastSeen: room))
                _ = try database.namespace.write(request, services: database.server.services, from: nil)
                return
            } catch {
                switch error {
                case .refused(.conditionFailed, _), .unready: continue
                default:
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
