// Draws expressions and data.
import HearthTesting

/// Draws from a seed.
struct RandomExpressions {
    var random: SeededRandom

    private static let names = ["a", "b", "c", "a/b", "b/c", "key", "x.y"]

    private static let patterns = [
        "a", "^a", "b$", "^[ab]{1,2}$", "^.{2}$", "^[-a-z]{3}$", "^a?b*$", "^a(b|c)+$",
    ]

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func condition(depth: Int) -> ModelCondition {
        guard depth > 0 else { return .literal(random.oneIn(2)) }
        let below = depth - 1
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .not(condition(depth: below))
        case 1, 2: return .all(condition(depth: below), condition(depth: below))
        case 3, 4: return .any(condition(depth: below), condition(depth: below))
        case 5: return .choice(condition(depth: below), condition(depth: below), condition(depth: below))
        case 6, 7: return .equality(pick(["==", "!="]), value(depth: below), value(depth: below))
        case 8: return .order(pick(["<", "<=", ">", ">="]), orderable(depth: below), orderable(depth: below))
        case 9: return .exists(snapshot(depth: below))
        case 10: return .hasChild(snapshot(depth: below), text(depth: below))
        case 11:
            let count = Int.random(in: 0...2, using: &random)
            return .hasChildren(snapshot(depth: below), (0..<count).map { _ in text(depth: below) })
        case 13: return .matches(text(depth: below), pick(Self.patterns))
        case 14: return .hasAnyChild(snapshot(depth: below))
        case 12: return .kind(snapshot(depth: below), pick(["String", "Number", "Boolean"]))
        default:
            return .search(
                pick(["contains", "beginsWith", "endsWith"]), text(depth: below), text(depth: below))
        }
    }

    /// Anything that `==` takes.
    mutating func value(depth: Int) -> ModelExpression {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .literal(.null)
        case 1: depth > 0 ? .condition(condition(depth: depth - 1)) : .literal(.bool(true))
        case 2, 3: number(depth: depth)
        default: text(depth: depth)
        }
    }

    mutating func orderable(depth: Int) -> ModelExpression {
        random.oneIn(2) ? number(depth: depth) : text(depth: depth)
    }

    /// What may be a number: the data decides.
    mutating func number(depth: Int) -> ModelExpression {
        guard depth > 0 else { return .literal(.number(pick([0, 1, 2, 3, -1, 0.5, 100]))) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .now
        case 1:
            return .arithmetic(
                pick(["+", "-", "*", "/", "%"]), number(depth: depth - 1), number(depth: depth - 1))
        case 2: return .negated(number(depth: depth - 1))
        case 3: return .length(text(depth: depth - 1))
        default: return .value(snapshot(depth: depth - 1))
        }
    }

    /// What may be a text.
    mutating func text(depth: Int) -> ModelExpression {
        guard depth > 0 else { return .literal(.string(pick(Self.names + ["", "ab", "1"]))) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .uid
        case 1: return .wildcard
        case 2: return .upper(text(depth: depth - 1))
        case 3: return .arithmetic("+", text(depth: depth - 1), orderable(depth: depth - 1))
        case 4:
            return .replace(
                text(depth: depth - 1), .literal(.string(pick(["a", "b", "ab"]))), text(depth: depth - 1))
        case 5: return .value(snapshot(depth: depth - 1))
        default: return .literal(.string(pick(Self.names)))
        }
    }

    mutating func snapshot(depth: Int) -> ModelSnapshot {
        guard depth > 0 else { return pick([.root, .data, .newData]) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .root
        case 1: return .data
        case 2: return .newData
        case 3: return .parent(snapshot(depth: depth - 1))
        default: return .child(snapshot(depth: depth - 1), text(depth: depth - 1))
        }
    }

    mutating func tree(depth: Int) -> ModelTree {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 4), using: &random) {
        case 0: return .leaf(.bool(random.oneIn(2)))
        case 1: return .leaf(.number(pick([0, 1, 2, -1, 0.5, 7])))
        case 2: return .leaf(.string(pick(["a", "b", "ab", "", "b/c"])))
        case 3: return .nothing
        default:
            var children: [String: ModelTree] = [:]
            for name in ["a", "b", "c", "key"] where random.oneIn(2) {
                let child = tree(depth: depth - 1)
                if child.value != .null { children[name] = child }
            }
            return .children(children)
        }
    }
}
