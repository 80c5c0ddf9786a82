// Random writes to the real node and to plain dictionaries must come to the same.
import Foundation
import HearthCore
import HearthTesting
import Testing

/// Chooses places and values; few names on the upper levels, many on the lowest, so that pages split and
/// join.
private struct RandomWrites {
    var random: SeededRandom

    private static let upperNames = ["rooms", "users", "9", "10", "007", "-1", "😀", "\u{FFFF}", "a b"]

    mutating func path() -> [String] {
        (0..<Int.random(in: 0...4, using: &random)).map { level in
            level < 2 ? Self.upperNames[Int.random(in: 0..<3 + level * 3, using: &random)] : lowerName()
        }
    }

    mutating func lowerName() -> String {
        let number = Int.random(in: 0..<400, using: &random)
        switch number % 4 {
        case 0: return "\(number)"
        case 1: return "-N\(number)"
        case 2: return "a name of more than twenty-four bytes \(number)"
        default: return "k\(number)"
        }
    }

    mutating func value(depth: Int = 0) -> ModelNode {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: return .empty
        case 4: return .leaf(.bool(random.oneIn(2)), priority())
        case 5: return .leaf(.integer(Int64.random(in: -5...5, using: &random)), priority())
        case 6: return .leaf(.double(0.5), priority())
        case 7, 8: return .leaf(.string("hello"), priority())
        default:
            guard depth < 2 else { return .leaf(.integer(1), .none) }
            var children: [String: ModelNode] = [:]
            let count = random.oneIn(30) ? 200 : 3
            for _ in 0..<Int.random(in: 1...count, using: &random) {
                let child = value(depth: depth + 1)
                if child != .empty { children[lowerName()] = child }
            }
            return children.isEmpty ? .empty : .children(children, priority())
        }
    }

    mutating func priority() -> Priority {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .number(Double(Int.random(in: 0..<3, using: &random)))
        case 1: .string("p")
        default: .none
        }
    }
}

/// How much more than usual is tried; `HEARTH_EFFORT=200` makes a million writes of it.
private let effort = max(1, ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1)

@Suite("A node and nested dictionaries")
struct NodeModelTests {
    @Test("come to the same after any writes: value, order, text, counts, digest, undo")
    func writes() throws {
        var seeds = SeededRandom(for: "node model")
        for _ in 0..<8 * effort {
            var writes = RandomWrites(random: seeds.branch())
            var real = Node.empty
            var model = ModelNode.empty
            for round in 1...600 {
                let keys = writes.path()
                let place = Path(try keys.map { try Key($0) })
                let before = real
                let modelBefore = model
                let edit: Edit
                if writes.random.oneIn(10) {
                    let priority = writes.priority()
                    edit = .prioritize(place, priority)
                    model = model.setting(
                        model.descendant(at: keys[...]).settingPriority(priority), at: keys[...])
                } else {
                    // The whole tree is replaced now and then only, or it would never grow.
                    let isFine = !keys.isEmpty || writes.random.oneIn(40)
                    let value = isFine ? writes.value() : modelBefore
                    edit = .put(place, try value.real())
                    model = model.setting(value, at: keys[...])
                }
                real = before.applying([edit])
                #expect(difference(real.descendant(at: place), model.descendant(at: keys[...])) == nil)
                #expect(real.applying(before.undo(of: [edit])) == before)
                if round % 100 == 0 {
                    #expect(difference(real, model) == nil)
                    #expect(difference(before, modelBefore) == nil)
                    #expect(text(real) == model.export)
                    #expect(real.invariantViolation() == nil)
                    #expect(real.digest == (try model.real()).digest)
                }
            }
        }
    }

    /// Where the two differ, nil if they do not; an expectation for each child would take most of the time.
    private func difference(_ real: Node, _ model: ModelNode, at place: String = "") -> String? {
        guard real.priority == model.priority else { return "priority of \(place)/" }
        switch model {
        case .empty: return real.isEmpty && real.leaf == nil && real.childCount == 0 ? nil : "\(place)/"
        case .leaf(let leaf, _):
            return real.leaf == leaf && !real.isEmpty && real.childCount == 0 ? nil : "\(place)/"
        case .children(let children, _):
            let names = children.keys.sorted(by: ModelNode.precedes)
            guard real.leaf == nil, real.childCount == children.count,
                real.prioritizedChildCount == children.values.count(where: { $0.priority != .none }),
                real.children().map(\.key.text) == names,
                real.childrenReversed().map(\.key.text) == names.reversed()
            else { return "children of \(place)/" }
            for entry in real.children() {
                let name = entry.key.text
                let child = children[name] ?? .empty
                if let found = difference(entry.node, child, at: "\(place)/\(name)") { return found }
            }
            return nil
        }
    }

    @Test("come to the same when one list grows, shrinks and grows again, in order and at random")
    func longLists() throws {
        var random = SeededRandom(for: "long list")
        for pattern in 0..<6 * effort {
            var list = Node.empty
            var model: [Int: Int64] = [:]
            for phase in 0..<4 {
                for step in 0..<1_500 {
                    let number =
                        pattern % 3 == 0 ? phase * 1_500 + step : Int.random(in: 0..<3_000, using: &random)
                    let removes = phase % 2 == 1
                    let chosen = removes && pattern % 3 == 1 ? model.keys.min() ?? 0 : removes ? step : number
                    model[chosen] = removes ? nil : Int64(step)
                    list.set(removes ? .empty : Node(.integer(Int64(step))), at: Path([Key(index: chosen)]))
                }
                #expect(list.invariantViolation() == nil)
                #expect(list.childCount == model.count)
                #expect(list.children().map { $0.key.arrayIndex ?? -1 } == model.keys.sorted())
                #expect(model.allSatisfy { list.child(Key(index: $0.key)).leaf == .integer($0.value) })
            }
        }
    }
}
