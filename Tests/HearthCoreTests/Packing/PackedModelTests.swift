// Writes around the borders of what is packed must come to the same as writes to plain dictionaries.
import Foundation
import HearthCore
import HearthTesting
import Testing

/// Chooses places and values of all sizes: around what a record and a page hold as text, and with priorities
/// now and then, which no text holds.
private struct BorderWrites {
    var random: SeededRandom

    private static let names = [
        "rooms", "text", "a\"b", "back\\slash", "\\", "\"", "9", "10", "007", "-1", "-", "0", "1", "2", "😀",
        "\u{FFFF}", "\u{E000}x", "a b", "é", "-Nabcdefghijklmnopqrs", "-Nabcdefghijklmnopqrt",
        "exactly twenty-four byte", "exactly twenty-four bytes",
    ]

    private static let doubles = [1e300, .leastNonzeroMagnitude, 1e21, 1e-7, 0.1, 1e-6, -0.5, -1e19]

    mutating func name() -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: String(repeating: "k", count: Int.random(in: 1...768, using: &random))
        case 1: String(repeating: "\"", count: Int.random(in: 1...768, using: &random))
        case 2..<10: "key number \(Int.random(in: 0..<150, using: &random))"
        default: Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
        }
    }

    mutating func path() -> [String] {
        (0..<Int.random(in: 0...4, using: &random)).map { level in
            level < 2 ? ["rooms", "lobby", "a\"b"][Int.random(in: 0..<3 - level, using: &random)] : name()
        }
    }

    mutating func leaf() -> Leaf {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .bool(random.oneIn(2))
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .integer(Int64.random(in: -20...20, using: &random))
        case 3: Leaf(number: Double.random(in: -1...1, using: &random))
        case 4: Leaf(number: Self.doubles[Int.random(in: 0..<Self.doubles.count, using: &random)])
        case 5: .string(String(repeating: "\u{1}", count: Int.random(in: 0..<400, using: &random)))
        case 6: .string(String(repeating: "é\n\\\"/", count: Int.random(in: 0..<90, using: &random)))
        case 7: .string(String(repeating: "x", count: Int.random(in: 950..<1_100, using: &random)))
        case 8: .string(String(repeating: "y", count: Int.random(in: 0..<400, using: &random)))
        default: .string("hello")
        }
    }

    mutating func value(depth: Int = 0, prioritized: Int) -> ModelNode {
        let kind = Int.random(in: 0..<10, using: &random)
        if kind < 3, depth == 0 { return .empty }
        if kind < 6 || depth > 6 { return .leaf(leaf(), priority(prioritized)) }
        var children: [String: ModelNode] = [:]
        let count = depth == 0 && random.oneIn(6) ? 70 : 4
        for _ in 0..<Int.random(in: 1...count, using: &random) {
            children[name()] = value(depth: depth + 1, prioritized: prioritized)
        }
        return .children(children.filter { $0.value != .empty }, priority(prioritized))
    }

    mutating func priority(_ prioritized: Int) -> Priority {
        prioritized > 0 && random.oneIn(prioritized) ? .number(1) : .none
    }
}

private let effort = max(1, ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1)

@Suite("Packed objects and nested dictionaries")
struct PackedModelTests {
    @Test("come to the same, whatever becomes text and whatever ceases to be", arguments: [0, 200, 8])
    func writes(prioritized: Int) throws {
        var seeds = SeededRandom(for: "packed model \(prioritized)")
        for _ in 0..<4 * effort {
            var writes = BorderWrites(random: seeds.branch())
            var real = Node.empty
            var model = ModelNode.empty
            for round in 1...400 {
                var keys = writes.path()
                if keys.isEmpty, !writes.random.oneIn(40) { keys = ["rooms", writes.name()] }
                let value = writes.value(prioritized: prioritized)
                let before = real
                let modelBefore = model
                let edit = Edit.put(Path(try keys.map { try Key($0) }), try value.real())
                model = model.setting(value, at: keys[...])
                real = before.applying([edit])
                // The old state stays, also if a write in place follows the one that made a copy.
                real.apply([edit])
                let place = keys.dropLast(Int.random(in: 0...keys.count, using: &writes.random))
                let found = real.descendant(at: Path(try place.map { try Key($0) }))
                #expect(difference(found, model.descendant(at: place[...])) == nil)
                #expect(real.applying(before.undo(of: [edit])) == before)
                if round % 25 == 0 { try compare(real, model, before, modelBefore) }
            }
        }
    }

    private func compare(_ real: Node, _ model: ModelNode, _ before: Node, _ modelBefore: ModelNode) throws {
        #expect(real.invariantViolation() == nil)
        #expect(difference(real, model) == nil)
        #expect(difference(before, modelBefore) == nil)
        let again = try model.real()
        #expect(again.invariantViolation() == nil)
        #expect(again == real && real == again)
        #expect((real == before) == (model == modelBefore))
        #expect(again.digest == real.digest)
        #expect(again.listenHash == real.listenHash)
        #expect(text(again) == text(real) && text(again, .plain) == text(real, .plain))
        #expect(try node(text(real)) == real)
        for levels in 0..<8 { #expect(real.isDeeper(than: levels) == (model.levels > levels)) }
        let differences = Node.childDifferences(from: before, to: real)
        for change in differences {
            #expect(difference(change.before, modelBefore.children[change.key.text] ?? .empty) == nil)
            #expect(difference(change.after, model.children[change.key.text] ?? .empty) == nil)
            #expect(change.before != change.after)
        }
        let led = before.applying(differences.map { .put(Path([$0.key]), $0.after) })
        #expect(led.children().map(\.key) == real.children().map(\.key))
    }

    /// Where the two differ, nil if they do not.
    private func difference(_ real: Node, _ model: ModelNode, at place: String = "") -> String? {
        guard real.priority == model.priority else { return "priority of \(place)/" }
        switch model {
        case .empty: return real.isEmpty && !real.hasChildren ? nil : "\(place)/"
        case .leaf(let leaf, _): return real.leaf == leaf && real.leafKind == leaf.kind ? nil : "\(place)/"
        case .children(let children, _):
            let names = children.keys.sorted(by: ModelNode.precedes)
            guard real.leaf == nil, real.hasChildren, real.childCount == children.count,
                real.prioritizedChildCount == children.values.count(where: { $0.priority != .none }),
                real.children().map({ Array($0.key.text.utf8) }) == names.map({ Array($0.utf8) }),
                real.childrenReversed().map(\.key) == real.children().map(\.key).reversed()
            else { return "children of \(place)/" }
            for entry in real.children() {
                let name = entry.key.text
                guard real.hasChild(entry.key), real.child(entry.key) == entry.node,
                    let child = children[name]
                else { return "\(place)/\(name)" }
                if let found = difference(entry.node, child, at: "\(place)/\(name)") { return found }
            }
            return nil
        }
    }
}

extension ModelNode {
    fileprivate var levels: Int {
        (children.values.map(\.levels).max() ?? -1) + 1
    }
}
