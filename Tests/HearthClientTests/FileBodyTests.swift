// Bodies that come from files and pipes, and servers that answer before they are all sent.

import Foundation
import HearthClient
import HearthTesting
import HearthWire
import Testing

@Suite("A body from a file")
struct FileBodyTests {
    private let pipe = Pipe()

    private func send(
        _ server: ScriptedServer, _ handle: FileHandle, length: Int?, progress: ((Int) -> Void)? = nil
    ) throws -> ClientAnswer {
        let body = FileBody(
            descriptor: handle.fileDescriptor, name: "chat.json", length: length, progress: progress)
        let client = Client(
            ServerAddress(host: "127.0.0.1", port: server.port),
            timeouts: Client.Timeouts(idle: .seconds(20), continue: .milliseconds(20)))
        return try client.collect(ClientRequest(.put, RequestTarget(ofData: "/"), body: .file(body))).answer
    }

    private func withFile<Result>(_ bytes: Data, _ work: (FileHandle) throws -> Result) throws -> Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try bytes.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }  // a file left over harms nobody
        return try work(try FileHandle(forReadingFrom: url))
    }

    @Test("arrives whole by its length, with progress", arguments: [0, 1, 262_144, 1_000_003])
    func byLength(count: Int) throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = ScriptedServer([.json("null", ending: .closes)])
        var seen: [Int] = []
        let answer = try withFile(bytes) { try send(server, $0, length: count) { seen.append($0) } }
        #expect(answer.status == 200)
        #expect(server.finish().map(\.body) == [Array(bytes)])
        #expect(seen.last ?? 0 == count && seen == seen.sorted())
    }

    @Test("arrives whole by chunks when the length is not known", arguments: [0, 5, 1_000_003])
    func byChunks(count: Int) throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = ScriptedServer([.json("null", ending: .closes)])
        let answer = try withFile(bytes) { try send(server, $0, length: nil) }
        #expect(answer.status == 200)
        let request = try #require(server.finish().first)
        #expect(request.body == Array(bytes))
        #expect(request.headers.contains("Transfer-Encoding: chunked"))
    }

    @Test("that became shorter is an error of this machine, not a short write")
    func shorter() throws {
        let server = ScriptedServer([.json("null", ending: .closes)])
        let error = try withFile(Data("12345".utf8)) { handle in
            #expect(throws: ClientError.self) { try send(server, handle, length: 9) }
        }
        #expect(error.map { "\($0)".contains("chat.json ended after 5 of 9 bytes") } == true)
        _ = server.finish()
    }

    @Test("is not sent on when the server refuses early", arguments: [true, false])
    func early(resets: Bool) throws {
        let refusal = ScriptedServer.Answer.json("{\"error\":\"too large\"}", status: 413).bytes
        let server = ScriptedServer([.init(refusal, ending: resets ? .resets : .closes, isEarly: true)])
        let error = try withFile(Data(count: 30_000_000)) { handle in
            #expect(throws: ClientError.self) { try send(server, handle, length: 30_000_000) }
        }
        let isTold = error == .refused(ServerRefusal(status: 413, reason: "too large"))
        #expect(isTold || resets, "\(String(describing: error))")
        _ = server.finish()
    }

    @Test("that comes slowly does not keep an early refusal from being noticed")
    func slowSource() throws {
        let refusal = ScriptedServer.Answer.json("{\"error\":\"no\"}", status: 401).bytes
        let server = ScriptedServer([.init(refusal, ending: .closes, isEarly: true)])
        let error = #expect(throws: ClientError.self) {
            try send(server, pipe.fileHandleForReading, length: nil)
        }
        #expect(error == .refused(ServerRefusal(status: 401, reason: "no")))
        _ = server.finish()
    }

    @Test("goes on after 100 Continue, also where that comes late")
    func continues() throws {
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        let final = ScriptedServer.Answer.json("null").bytes
        let server = ScriptedServer([.init(Array(interim.utf8) + final, ending: .closes)])
        let answer = try withFile(Data("[1]".utf8)) { try send(server, $0, length: 3) }
        #expect(answer.status == 200)
        #expect(server.finish().map(\.body) == [Array("[1]".utf8)])
    }
}
