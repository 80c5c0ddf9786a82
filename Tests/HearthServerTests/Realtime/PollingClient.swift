// A client of the realtime protocol that polls, as a browser's page does.
import Foundation
import HearthCrypto
import HearthServer
import HearthWire
import Testing

/// A client that has come over long polls: one connection that waits, another for what it says.
final class PollingClient: RealtimeClient {
    let id: String
    let password: String
    /// The first message.
    let greeting: String
    private let server: Server
    private var waiting: TestClient?
    private var serial = 100
    private var nextSegment = 0
    private var nextResponse = 1
    private var early: [Int: [String]] = [:]
    private var heard: [String] = []
    /// The number of the last response, once the server has said it.
    private var last: Int?

    /// - Parameter target: the parameters of the first request.
    init(_ server: Server, _ parameters: String = "v=5") throws {
        self.server = server
        let answer = try TestClient(server).ask("GET", "/.lp?start=t&ser=1&cb=3&\(parameters)")
        #expect(answer.status == 200)
        #expect(answer.body.hasPrefix("function pLPCommand(){var f=parent.window[\"pLPCommand3\"];"))
        let start = try #require(answer.body.firstMatch(of: /pLPCommand\('start','(\w+)','(\w+)'\);/))
        id = String(start.output.1)
        password = String(start.output.2)
        let packet = try #require(answer.body.firstMatch(of: /pRTLPCB\(0,\[(.*)\]\);/))
        greeting = String(packet.output.1)
    }

    var identity: String { "id=\(id)&pw=\(password)" }

    func say(_ text: String) throws {
        let letters = Base64.url.encode(Array(text.utf8))
        let padded = letters + String(repeating: ".", count: (4 - letters.utf8.count % 4) % 4)
        let bytes = Array(padded.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 1840).map {
            String(decoding: bytes[$0..<min($0 + 1840, bytes.count)], as: UTF8.self)
        }
        for piece in pieces {
            serial += 1
            let before = waiting
            let client = try TestClient(server)
            client.begin(
                "GET",
                "/.lp?\(identity)&ser=\(serial)&seg0=\(nextSegment)&ts0=\(pieces.count)&d0=\(piece)")
            nextSegment += 1
            // A newer request has the one before answered at once.
            if let before { try take(before.read().body) }
            waiting = client
        }
    }

    func hear() throws -> String? {
        while heard.isEmpty {
            if let last, nextResponse > last { return nil }
            if waiting == nil {
                serial += 1
                waiting = try TestClient(server)
                waiting?.begin("GET", "/.lp?\(identity)&ser=\(serial)")
            }
            guard let client = waiting else { return nil }
            waiting = nil
            try take(client.read().body)
        }
        return heard.removeFirst()
    }

    /// Takes a response; the messages of responses that came too early wait for those before.
    private func take(_ script: String) throws {
        for line in script.split(separator: "\n") {
            if let packet = line.firstMatch(of: /^pRTLPCB\(([0-9]+),\[(.*)\]\);$/) {
                let number = try #require(Int(packet.output.1))
                early[number] = try PollingClient.messages(String(packet.output.2))
            } else if let close = line.firstMatch(of: /^pLPCommand\('close'(?:,([0-9]+))?\);$/) {
                last = close.output.1.flatMap { Int($0) } ?? 0
            } else {
                Issue.record("no call: \(line)")
            }
        }
        while let messages = early.removeValue(forKey: nextResponse) {
            heard += messages
            nextResponse += 1
        }
    }

    /// Splits a list of JSON objects at the commas between them.
    private static func messages(_ list: String) throws -> [String] {
        var messages: [String] = []
        var depth = 0
        var isText = false
        var isEscaped = false
        var current = ""
        for character in list {
            if depth == 0, character == "," { continue }
            current.append(character)
            if isText {
                if isEscaped { isEscaped = false } else if character == "\\" { isEscaped = true }
                if !isEscaped, character == "\"", current.last == "\"", !current.hasSuffix("\\\"") {
                    isText = false
                }
                continue
            }
            switch character {
            case "\"": isText = true
            case "{": depth += 1
            case "}":
                depth -= 1
                if depth == 0 {
                    messages.append(current)
                    current = ""
                }
            default: break
            }
        }
        #expect(current.isEmpty)
        return messages
    }

    func vanish() {
        waiting = nil
        // A page that goes does not look at the answer, or whether there is one.
        _ = try? TestClient(server).ask("GET", "/.lp?disconn=t&\(identity)")
    }
}
