// Walking over the old and the new state (security-rules.md §5).
import HearthCore

extension Judge {
    /// The snapshot that a step yields.
    mutating func snapshot(_ step: Int) throws(EvaluationError) -> Snapshot {
        try spend(1)
        switch operations[step] {
        case .root: return Snapshot(node: old(at: 0), isAfter: false, depth: 0)
        case .data: return Snapshot(node: old(at: location), isAfter: false, depth: location)
        case .newData: return Snapshot(node: new(at: location), isAfter: true, depth: location)
        case .child(let target, let argument):
            var snapshot = try snapshot(target)
            guard let way = try way(argument, of: "child()"), !snapshot.isNowhere else {
                snapshot.node = .empty
                snapshot.isNowhere = true
                return snapshot
            }
            try spend(way.count)
            snapshot.node = Self.walk(snapshot.node, way)
            if keepsTails { snapshot.tail += way }
            return snapshot
        case .parent(let target): return try parent(of: try snapshot(target))
        case .choice(let test, let first, let second):
            return try snapshot(try condition(test) ? first : second)
        default: preconditionFailure("the checker lets only snapshots through here")
        }
    }

    private mutating func parent(of child: Snapshot) throws(EvaluationError) -> Snapshot {
        if child.isNowhere { throw .noPlace }
        var parent = child
        if parent.tail.isEmpty {
            guard parent.depth > 0 else { throw .rootHasNoParent }
            parent.depth -= 1
        } else {
            parent.tail.removeLast()
        }
        try spend(parent.tail.count)
        let start = child.isAfter ? new(at: parent.depth) : old(at: parent.depth)
        parent.node = Self.walk(start, parent.tail)
        return parent
    }

    private static func walk(_ node: Node, _ way: [Key]) -> Node {
        var node = node
        for key in way { node = node.child(key) }
        return node
    }

    /// The steps that an argument names; nil if no data can have them.
    private mutating func way(_ argument: PathArgument, of name: String) throws(EvaluationError) -> [Key]? {
        switch argument {
        case .known(let place): return tables.ways[place]
        case .captured(let depth):
            if let names { return Key.steps(of: names[depth]) }
            return [keys[depth]]
        case .computed(let step):
            let value = try value(step)
            guard case .string(let text) = value else {
                throw .operand(of: name, is: value.kind, wanted: "string")
            }
            try spend(text.utf8.count / 16)
            return Key.steps(of: text)
        }
    }

    /// The node of a snapshot whose value is asked for.
    mutating func looked(at step: Int) throws(EvaluationError) -> Node {
        switch operations[step] {
        // By far the commonest ones, where nothing is to be recorded.
        case .newData:
            try spend(1)
            return new(at: location)
        case .data where !isRecording:
            try spend(1)
            return old(at: location)
        default: break
        }
        let snapshot = try snapshot(step)
        record(snapshot)
        return snapshot.node
    }

    mutating func snapshotCondition(_ operation: Operation) throws(EvaluationError) -> Bool {
        switch operation {
        case .exists(let step): return try !looked(at: step).isEmpty
        case .hasAnyChild(let step): return try looked(at: step).childCount > 0
        case .isKind(let step, let kind): return try looked(at: step).leafKind == kind
        case .hasChild(let step, let argument):
            let snapshot = try snapshot(step)
            return try has(argument, in: snapshot, asked: "hasChild()")
        case .hasChildren(let step, let arguments):
            let snapshot = try snapshot(step)
            for place in arguments
            where try !has(tables.arguments[place], in: snapshot, asked: "hasChildren()") {
                return false
            }
            return true
        default: preconditionFailure("this is no question to a snapshot")
        }
    }

    private mutating func has(
        _ argument: PathArgument, in snapshot: Snapshot, asked name: String
    ) throws(EvaluationError) -> Bool {
        guard let way = try way(argument, of: name) else { return false }
        try spend(way.count)
        record(snapshot, below: way)
        if way.count == 1 { return snapshot.node.hasChild(way[0]) }
        return !Self.walk(snapshot.node, way).isEmpty
    }
}
