// Conversations as text: what clients say, what they are told, in which order.
import Foundation
import Testing

/// A conversation that people can read and a server can be held to.
///
///     # A listener hears a write.
///     ann> q /rooms/lobby
///     ann< d rooms/lobby null
///     ann< ok
///     bob> p /rooms/lobby/topic "bye"
///     bob< ok
///     ann< d rooms/lobby/topic "bye"
///
/// `>` a client says, `<` it is told; a client comes with its first word. Requests are an action letter, a
/// path, JSON data and `h=` a hash, or `t=` a tag with a query. Answers are a status with a text, or data.
struct Transcript {
    struct Line {
        let number: Int
        let client: String
        let isSaid: Bool
        let text: String
    }

    let name: String
    let lines: [Line]

    /// The transcripts beside this file.
    static func all() throws -> [Transcript] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Transcripts")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }.map { file in
            Transcript(
                name: file.deletingPathExtension().lastPathComponent,
                text: try String(contentsOf: file, encoding: .utf8))
        }
    }

    init(name: String, text: String) {
        self.name = name
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            guard !line.hasPrefix("#"), let mark = line.firstIndex(where: { $0 == ">" || $0 == "<" }) else {
                return nil
            }
            return Line(
                number: index + 1, client: String(line[..<mark]), isSaid: line[mark] == ">",
                text: line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces))
        }
    }
}

/// Plays a transcript to a server.
final class TranscriptPlayer {
    private let come: () throws -> any RealtimeClient
    private var clients: [String: any RealtimeClient] = [:]
    private var numbers: [String: Int] = [:]

    /// - Parameter come: makes a client that was greeted.
    init(_ come: @escaping () throws -> any RealtimeClient) {
        self.come = come
    }

    func play(_ transcript: Transcript) throws {
        for line in transcript.lines {
            let client = try clients[line.client] ?? come()
            clients[line.client] = client
            let place = "\(transcript.name).txt:\(line.number)"
            if line.isSaid {
                try say(line.text, as: line.client, client)
            } else {
                let heard = try client.hear().map(TranscriptPlayer.shortened) ?? "end"
                #expect(heard == line.text, "\(place)")
            }
        }
    }

    private func say(_ text: String, as name: String, _ client: any RealtimeClient) throws {
        if text == "vanish" {
            client.vanish()
            clients[name] = nil
            return
        }
        if text.hasPrefix("{") { return try client.say(text) }
        let number = numbers[name, default: 0] + 1
        numbers[name] = number
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        var body: [String] = []
        if words.count > 1 { body.append("\"p\":\"\(words[1])\"") }
        if words.count > 2 { body += try TranscriptPlayer.members(words[2], of: words[0]) }
        if words[0] == "q", !body.contains(where: { $0.hasPrefix("\"h\"") }) { body.append(#""h":"""#) }
        let action = words[0]
        try client.say(
            #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":{\#(body.joined(separator: ","))}}}"#)
    }

    /// The members that stand behind the path: `h=` a hash, `t=` a tag and a query, else data.
    private static func members(_ text: String, of action: String) throws -> [String] {
        var members: [String] = []
        var rest = Substring(text)
        while let word = rest.firstMatch(of: /^(h|t)=(\S*) ?/) {
            members.append(
                word.output.1 == "h" ? "\"h\":\"\(word.output.2)\"" : "\"t\":\(word.output.2)")
            rest = rest[word.range.upperBound...]
        }
        guard !rest.isEmpty else { return members }
        let isQuery = ["q", "n", "g"].contains(action)
        return members + ["\"\(isQuery ? "q" : "d")\":\(rest)"]
    }

    /// A message as a transcript has it.
    static func shortened(_ message: String) -> String {
        if let reply = message.firstMatch(of: /^\{"t":"d","d":\{"r":\d+,"b":\{"s":"(\w+)","d":(.*)\}\}\}$/) {
            let data = String(reply.output.2)
            let isPlain = data == "\"\"" || data == "{}"
            return isPlain ? String(reply.output.1) : "\(reply.output.1) \(data)"
        }
        if let push = message.firstMatch(of: /^\{"t":"d","d":\{"a":"(\w+)","b":\{"p":"([^"]*)"(.*)\}\}\}$/) {
            var rest = String(push.output.3)
            var tag = ""
            if let mark = rest.firstMatch(of: /,"t":(\d+)$/) {
                tag = " t=\(mark.output.1)"
                rest.removeSubrange(mark.range)
            }
            rest = rest.replacing(/^,"[dq]":/, with: " ")
            return "\(push.output.1) \(push.output.2)\(tag)\(rest)"
        }
        return message
    }
}
