// What clients think of: where to look, and what to write where.
import HearthCore
import HearthTesting

/// The ideas of one client; nobody else ever writes its values.
struct Repertoire {
    private let name: String
    private var random: SeededRandom
    private var count = 0

    init(name: String, _ random: SeededRandom) {
        self.name = name
        self.random = random
    }

    /// One of several.
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    /// Somewhere to look.
    mutating func readPath() -> [String] {
        pick([
            ["rooms", "a"], ["rooms", "b", "messages"], ["rooms"], ["rooms", "a", "topic"], ["counters"],
            ["stamps"], ["switch"], ["guarded"], ["gate"], ["secret"], [], ["online"],
        ])
    }

    /// Something to write, which may be refused.
    mutating func operation() -> Operation {
        let room = ["rooms", pick(["a", "b"])]
        let messages = room + ["messages"]
        let message = messages + ["m\(Int.random(in: 0..<5, using: &random))"]
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1: return .put(message, value(at: message))
        case 2, 3, 4: return .push(messages, value(at: message))
        case 5: return .put(message, .null)
        case 6: return .put(messages, .null)
        case 7, 8: return .patch(room, patch())
        case 9, 10: return .increment(["counters", pick(["x", "y"])])
        case 11: return .stamp(["stamps", "last"])
        case 12: return .put(["switch"], .bool(Bool.random(using: &random)))
        case 13: return .put(["guarded", pick(["p", "q"])], token())
        case 14: return .put([pick(["gate", "secret"]), pick(["p", "q"])], token())
        case 15: return .put(messages, .object(["m1": value(at: message), "m4": value(at: message)]))
        case 16: return .patch(messages, someMessages())
        default: return .put(room + ["topic"], token())
        }
    }

    /// Changes of a window: messages that come, go and change at once.
    private mutating func someMessages() -> [String: Value] {
        var changes: [String: Value] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let name = "m\(Int.random(in: 0..<5, using: &random))"
            changes[name] = random.oneIn(3) ? .null : value(at: ["rooms", "a", "messages", "m"])
        }
        changes["m\(Int.random(in: 5..<7, using: &random))"] = value(at: ["rooms", "a", "messages", "m"])
        return changes
    }

    /// Some of the messages of a room.
    mutating func window() -> Window {
        Window(
            order: random.oneIn(2) ? .key : .child("number"), limit: random.oneIn(2) ? .first(2) : .last(3))
    }

    private mutating func patch() -> [String: Value] {
        var changes = ["topic": token()]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let name = "messages/m\(Int.random(in: 0..<5, using: &random))"
            changes[name] = random.oneIn(4) ? .null : value(at: ["rooms", "a", "messages", "m"])
        }
        return changes
    }

    /// A text that nobody else ever writes.
    mutating func token() -> Value {
        count += 1
        return .text("\(name)-\(count)")
    }

    /// A message where one is wanted, now and then one that the rules do not take.
    mutating func value(at path: [String]) -> Value {
        guard path.count == 4 else { return token() }
        count += 1
        if random.oneIn(12) { return .object(["author": token()]) }
        let length = random.oneIn(8) ? Int.random(in: 100...6_000, using: &random) : 10
        let text = "\(name)-\(count) " + String(repeating: "~", count: length)
        return .object(["text": .text(text), "number": .number(Int.random(in: 0..<9, using: &random))])
    }

    /// Something to be written when the client has gone: places of which none leads on to another.
    mutating func leaving() -> Leaving {
        let own = ["online", name]
        let places = [own + ["a"], own + ["b"], own + ["c"], ["guarded", name], ["gate", name]]
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1, 2: return .set(pick(places), content())
        case 3: return .set(own + ["count"], .object([".sv": .object(["increment": .number(1)])]))
        case 4, 5: return .update(own, ["a": content(), "deep/d": content()])
        case 6: return .update([], ["online/\(name)/c": content(), "online/\(name)/deep/e": content()])
        case 7: return .cancel(pick(places))
        default: return .cancel(own)
        }
    }

    private mutating func content() -> Value {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .null
        case 1: .object([".sv": .text("timestamp")])
        default: token()
        }
    }
}
