// Random trees, writes and queries over few keys and values, so that they meet.
import HearthCore
import HearthTesting

/// Random trees, writes and queries over few keys and values, so that they meet.
struct RandomQueries {
    static let rules = #"{"rules": {"q": {".indexOn": [".value", "n", "n/m"]}}}"#

    var random: SeededRandom

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func key() throws -> Key {
        try Key(["a", "b", "c", "n", "m", "1", "2", "10", "03", "é"].randomElement(using: &random) ?? "a")
    }

    mutating func priority() -> Priority {
        switch int(0...9) {
        case 0: .number(Double(int(0...2)))
        case 1: .string(["p", "q"].randomElement(using: &random) ?? "p")
        default: .none
        }
    }

    mutating func leaf() -> Leaf {
        switch int(0...5) {
        case 0: .bool(random.oneIn(2))
        case 1: .string(["", "a", "b"].randomElement(using: &random) ?? "")
        case 2: .double(Double(int(0...3)) + 0.5)
        default: .integer(Int64(int(0...4)))
        }
    }

    mutating func value(levels: Int) throws -> Node {
        if levels == 0 || random.oneIn(3) { return Node(leaf(), priority: priority()) }
        var builder = Node.Builder()
        for _ in 0..<int(0...4) { builder.insert(try value(levels: levels - 1), for: try key()) }
        return builder.finish(priority: priority())
    }

    /// Children with names of their own.
    mutating func object(count: Int) throws -> Node {
        var builder = Node.Builder()
        for number in 0..<count {
            builder.insert(try value(levels: 2), for: try Key("\(random.oneIn(2) ? "k" : "")\(number)"))
        }
        return builder.finish()
    }

    mutating func order() throws -> Query.Order {
        switch int(0...4) {
        case 0: .key
        case 1: .value
        case 2: .priority
        case 3: .child(try Path("n"))
        default: .child(try Path("n/m"))
        }
    }

    private mutating func keyPosition(canBeOpen: Bool) throws -> KeyPosition {
        switch int(0...3) {
        case 0 where canBeOpen: .start
        case 1 where canBeOpen: .end
        case 2: .before(try key())
        default: .after(try key())
        }
    }

    private mutating func bound(_ order: Query.Order) throws -> Query.Bound {
        if order == .key { return .init(value: .null, key: try keyPosition(canBeOpen: false)) }
        let value: Query.Value = random.oneIn(5) ? (random.oneIn(2) ? .null : .object) : .leaf(leaf())
        return .init(value: value, key: try keyPosition(canBeOpen: true))
    }

    mutating func query() throws -> Query {
        var query = Query(order: try order())
        if random.oneIn(2) { query.lower = try bound(query.order) }
        if random.oneIn(2) { query.upper = try bound(query.order) }
        switch int(0...2) {
        case 0: query.limit = .first(int(1...4))
        case 1: query.limit = .last(int(1...4))
        default: break
        }
        return query
    }

    /// A write around /q: at, above or below it, of one place or several.
    mutating func write() throws -> (kind: Commit.Kind, base: Path, edits: [Edit]) {
        var base = try Path(random.oneIn(12) ? "/" : "/q")
        for _ in 0..<int(base.isRoot ? 0...0 : 0...3) { base = base.appending(try key()) }
        if random.oneIn(10) { return (.set, base, [.prioritize(base, priority())]) }
        if random.oneIn(3) { return (.update, base, try updateEdits(at: base)) }
        if base.isRoot {
            let tree = Node.empty.setting(try value(levels: 3), at: try Path("q"))
            return (.set, base, [.put(base, random.oneIn(3) ? .empty : tree)])
        }
        let node = random.oneIn(3) ? Node.empty : try value(levels: max(0, 4 - base.depth))
        return (.set, base, [.put(base, node)])
    }

    private mutating func updateEdits(at base: Path) throws -> [Edit] {
        var places: [Path] = []
        for _ in 0..<int(1...4) {
            var place = Path([base.isRoot ? try Key(random.oneIn(4) ? "z" : "q") : try key()])
            if random.oneIn(3) { place = place.appending(try key()) }
            let isApart = places.allSatisfy { !$0.contains(place) && !place.contains($0) }
            if isApart { places.append(place) }
        }
        let edits = try places.map { place in
            Edit.put(base.appending(place), random.oneIn(3) ? .empty : try value(levels: 1))
        }
        return edits.filter { !$0.isRemoval } + edits.filter(\.isRemoval)
    }
}

extension Edit {
    fileprivate var isRemoval: Bool {
        if case .put(_, let node) = self { return node.isEmpty }
        return false
    }
}
