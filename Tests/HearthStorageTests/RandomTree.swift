// Random values for the tests of everything that is stored.
import HearthCore
import HearthTesting

extension SeededRandom {
    /// A tree with every kind of leaf, priority and key, a few levels deep; never empty.
    mutating func node(levels: Int = 3) -> Node {
        if levels == 0 || oneIn(3) { return Node(leaf(), priority: priority()) }
        var builder = Node.Builder()
        for _ in 0..<Int.random(in: 1...5, using: &self) {
            builder.insert(node(levels: levels - 1), for: key())
        }
        return builder.finish(priority: priority())
    }

    mutating func leaf() -> Leaf {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .bool(oneIn(2))
        case 1: .integer(Int64(bitPattern: next()))
        case 2: .integer(Int64.random(in: -200...200, using: &self))
        case 3: Leaf(number: Double.random(in: -1e300...1e300, using: &self))
        case 4: Leaf(number: Double(Int.random(in: -99...99, using: &self)) / 8)
        default: .string(text())
        }
    }

    mutating func priority() -> Priority {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: .number(Double(Int.random(in: -9...9, using: &self)) / 2)
        case 1: .string(text())
        default: .none
        }
    }

    mutating func text() -> String {
        let pieces = [
            "hi", "", "Grüße", "日本", "🔥", "\u{0}", "\"", "lobby", String(repeating: "x", count: 200),
        ]
        return (0..<Int.random(in: 0...3, using: &self)).map { _ in
            pieces[Int.random(in: 0..<9, using: &self)]
        }
        .joined()
    }

    mutating func key() -> Key {
        let names = [
            "lobby", "a", "-Nb3", "7", "03", "-1", "ü", "🔥", String(repeating: "k", count: 200), "zz", "b",
        ]
        return Key.known(names[Int.random(in: 0..<names.count, using: &self)])
    }
}

extension Key {
    /// A key that the test knows to be one.
    static func known(_ text: String) -> Key {
        do { return try Key(text) } catch { preconditionFailure("\(text): \(error)") }
    }
}

extension Path {
    /// A path that the test knows to be one.
    static func known(_ text: String) -> Path {
        do { return try Path(text) } catch { preconditionFailure("\(text): \(error)") }
    }
}
