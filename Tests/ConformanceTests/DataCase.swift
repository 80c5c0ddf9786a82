// A data case: its steps are played in order against one namespace.
import Foundation
import HearthTesting
import Testing

/// One case of `Cases/*.json`.
struct DataCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether it rests on little evidence, and is not played.
    let isTentative: Bool
    private let steps: [JSONValue]

    var testDescription: String { name }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// All cases, in the order of files and cases.
    static var all: [DataCase] {
        get throws {
            let files = try FileManager.default.contentsOfDirectory(
                at: folder.appendingPathComponent("Cases"), includingPropertiesForKeys: nil)
            return try files.sorted { $0.path < $1.path }.flatMap { file in
                let content = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
                return try (content["cases"]?.elements ?? []).map { try DataCase($0) }
            }
        }
    }

    /// Those that are played.
    static var played: [DataCase] {
        get throws { try all.filter { !$0.isTentative } }
    }

    private init(_ content: JSONValue) throws {
        name = try #require(content["name"]?.string)
        isTentative = content["confidence"]?.string == "low"
        steps = try #require(content["steps"]?.elements).map { $0.generated() }
    }

    /// Plays the steps.
    ///
    /// - Throws: the first difference, with the step's number.
    func play(_ asker: Asker) throws {
        var play = Play(asker: asker)
        for (index, step) in steps.enumerated() {
            do {
                try play.run(step.filled(with: play.saved))
            } catch {
                throw Mismatch("step \(index + 1), \(step.short.prefix(200)): \(error)")
            }
        }
    }
}

/// What a case has saved and opened so far.
private struct Play {
    /// How long an event may take to come: a bound for a busy machine, not a measure.
    private static let patience = Duration.seconds(30)

    let asker: Asker
    var saved: [String: JSONValue] = [:]
    private var streams: [String: EventReader] = [:]

    init(asker: Asker) {
        self.asker = asker
    }

    mutating func run(_ step: JSONValue) throws {
        if step["sleepMs"] != nil {
            // Such a step lets the clock move on between two pushes. Here their names are in order anyway.
            return
        }
        if let name = step["stream"]?.string {
            try open(step, as: name)
        } else if let events = step["expectEvents"]?.elements {
            let stream = try stream(of: step)
            for event in events { try expect(event, on: stream) }
        } else if let milliseconds = step["expectNoEvent"]?.integer {
            if let event = try stream(of: step).next(within: .milliseconds(milliseconds)) {
                throw Mismatch("expected no event, got \(event)")
            }
        } else if let value = step["expectStreamState"] {
            try stream(of: step).wait(for: value, within: Play.patience)
        } else if let name = step["closeStream"]?.string {
            streams[name] = nil
        } else {
            try ask(step)
        }
    }

    private mutating func ask(_ step: JSONValue) throws {
        let answer = try asker.ask(step)
        let usual = JSONValue.object(["status": .array([.integer(200), .integer(204)])])
        try Expectation(wanted: step["expect"] ?? usual).check(answer)
        for (name, place) in step["save"]?.members ?? [:] {
            saved[name] = try pick(place.string ?? "", from: answer)
        }
    }

    private func pick(_ place: String, from answer: WireClient.Answer) throws -> JSONValue {
        if place.hasPrefix("header:") {
            guard let value = answer.headers[String(place.dropFirst(7))] else {
                throw Mismatch("no \(place) to save")
            }
            return .string(value)
        }
        return try place.split(separator: ".").dropFirst().reduce(Expectation.json(answer)) { value, key in
            guard let child = value[String(key)] else { throw Mismatch("nothing at \(place) to save") }
            return child
        }
    }

    private mutating func open(_ step: JSONValue, as name: String) throws {
        var opened = try asker.open(step)
        let expect = step["expect"] ?? .object(["status": .integer(200)])
        let type = opened.head.headers["content-type"] ?? ""
        let isStream = opened.head.status == 200 && type.hasPrefix("text/event-stream")
        if !isStream {
            while let piece = try opened.client.readPiece() { opened.head.body += piece }
        }
        try Expectation(wanted: expect).check(opened.head)
        guard isStream || expect["status"]?.integer != 200 else {
            throw Mismatch("no stream: \(opened.head)")
        }
        if isStream { streams[name] = EventReader(opened.client) }
    }

    private func stream(of step: JSONValue) throws -> EventReader {
        let only = streams.count == 1 ? streams.first?.value : nil
        guard let stream = step["on"]?.string.map({ streams[$0] }) ?? only else {
            throw Mismatch("there is no such open stream")
        }
        return stream
    }

    private func expect(_ wanted: JSONValue, on stream: EventReader) throws {
        guard let event = try stream.next(within: Play.patience) else {
            throw Mismatch("expected the event \(wanted.short), got none")
        }
        guard event.name == wanted["event"]?.string else {
            throw Mismatch("expected the event \(wanted.short), got \(event)")
        }
        let payload = try JSONValue(parsing: event.data)
        if let path = wanted["path"]?.string, payload["path"]?.string != path {
            throw Mismatch("expected the path \(path), got \(event)")
        }
        let got = wanted["path"] == nil ? payload : payload["data"] ?? .null
        if let data = wanted["data"], try !Pattern.matches(data, got) {
            throw Mismatch("expected the data \(data.short), got \(event)")
        }
    }
}
