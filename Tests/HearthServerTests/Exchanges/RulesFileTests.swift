// Rules that come from a file: there from the start, authoritative, read again when they change.
import Foundation
import HearthStorage
import Testing

@testable import HearthServer

@Suite("A rules file")
struct RulesFileTests {
    private func withFile(_ text: String, _ body: (Server, String) throws -> Void) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let path = directory.path + "/rules.json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try withServer {
            $0.rulesFiles = ["default": path]
        } _: { server in
            try body(server, path)
        }
    }

    @Test("gives its namespace the rules, which no client can change")
    func authoritative() throws {
        let text = #"{"rules":{"a":{".read":true,".indexOn":"b"}}}"#
        try withFile(text) { server, path in
            let client = try TestClient(server)
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            #expect(try client.ask("GET", "/.settings/rules.json", admin).body == text)
            let put = try client.ask("PUT", "/.settings/rules.json", admin, body: "{\"rules\":{}}")
            #expect(put.status == 409)
            #expect(put.body.contains("rules.json"))
            #expect(try client.ask("GET", "/a.json?orderBy=%22b%22").status == 200)
            #expect(try client.ask("GET", "/a.json?orderBy=%22c%22").status == 400)
        }
    }

    @Test("that changes takes effect, and a bad one leaves the old rules")
    func reload() throws {
        try withFile(#"{"rules":{}}"#) { server, path in
            let client = try TestClient(server)
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            try "nonsense".write(toFile: path, atomically: true, encoding: .utf8)
            server.readRules()
            #expect(try client.ask("GET", "/.settings/rules.json", admin).body == #"{"rules":{}}"#)
            try #"{"rules":{".read":false}}"#.write(toFile: path, atomically: true, encoding: .utf8)
            server.readChangedRules()
            #expect(
                try client.ask("GET", "/.settings/rules.json", admin).body == #"{"rules":{".read":false}}"#)
        }
    }

    @Test("that is bad or missing keeps the server from starting", arguments: ["{", nil])
    func refused(text: String?) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let path = directory.path + "/rules.json"
        try text?.write(toFile: path, atomically: true, encoding: .utf8)
        let failure = #expect(throws: StartFailure.self) {
            try withServer {
                $0.rulesFiles = ["default": path]
            } _: { _ in
            }
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains(path))
    }
}

@Suite("A query")
struct QueryTests {
    @Test("by priority over many children is sorted by a worker, in its place")
    func priorities() throws {
        try withServer { server in
            let client = try TestClient(server)
            let members = (0..<2_500).map { "\"k\($0)\":{\".value\":\($0),\".priority\":\(2_500 - $0)}" }
            _ = try client.ask(
                "PUT", "/a.json?print=silent", body: "{" + members.joined(separator: ",") + "}")
            for _ in 0..<3 {
                client.begin("GET", "/a.json?orderBy=%22$priority%22&limitToFirst=2")
                client.begin("GET", "/a/k7.json")
                #expect(try client.read().body == #"{"k2498":2498,"k2499":2499}"#)
                #expect(try client.read().body == "7")
            }
        }
    }

    @Test("by a child needs its index, and uses it as soon as the rules name it")
    func index() throws {
        try withServer { server in
            let client = try TestClient(server)
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            _ = try client.ask("PUT", "/m.json", body: #"{"x":{"n":3},"y":{"n":1},"z":{"n":2}}"#)
            let query = "/m.json?orderBy=%22n%22&limitToFirst=2"
            let refused = try client.ask("GET", query)
            #expect(refused.status == 400)
            #expect(
                refused.body.contains(
                    #"Index not defined, add \".indexOn\": \"n\", for path \"/m\", to the rules"#))
            let rules = #"{"rules":{"m":{".read":true,".indexOn":["n"]}}}"#
            #expect(try client.ask("PUT", "/.settings/rules.json", admin, body: rules).status == 200)
            #expect(try client.ask("GET", query).body == #"{"y":{"n":1},"z":{"n":2}}"#)
            #expect(try client.ask("GET", query + "&feed=longpoll").status == 200)
        }
    }
}
