// Walking over the old and the new state (security-rules.md §5).
import HearthCore

/// What a snapshot in a rule is: a place of the old or the new state.
struct Snapshot {
    /// What is there; nil where it is that of the judge's level.
    var walked: Node?
    let isAfter: Bool
    /// How many keys of the way to the present place lead to where it hangs.
    var depth: Int
    /// From which of the judge's tails on are its own: the steps from there to where it has come. They are
    /// kept only where they are needed, and until the snapshot is asked for something.
    let tailStart: Int
    /// Whether no data can have its path.
    var isNowhere = false
}

extension Judge {
    /// The snapshot that a step yields.
    mutating func snapshot(_ step: Int) throws(EvaluationError) -> Snapshot {
        try spend(1)
        switch operations[step] {
        case .root: return Snapshot(isAfter: false, depth: 0, tailStart: tails.count)
        case .data: return Snapshot(isAfter: false, depth: location, tailStart: tails.count)
        case .newData: return Snapshot(isAfter: true, depth: location, tailStart: tails.count)
        case .child(let target, let argument):
            var child = try snapshot(target)
            let way = try way(argument, of: "child()")
            try walk(&child, way)
            return child
        case .parent(let target):
            var parent = try snapshot(target)
            try ascend(&parent)
            return parent
        case .choice(let test, let first, let second):
            return try snapshot(try condition(test) ? first : second)
        default: preconditionFailure("the checker lets only snapshots through here")
        }
    }

    private mutating func ascend(_ snapshot: inout Snapshot) throws(EvaluationError) {
        if snapshot.isNowhere { throw .noPlace }
        snapshot.walked = nil
        guard tails.count > snapshot.tailStart else {
            guard snapshot.depth > 0 else { throw .rootHasNoParent }
            snapshot.depth -= 1
            return
        }
        tails.removeLast()
        guard tails.count > snapshot.tailStart else { return }
        try spend(tails.count - snapshot.tailStart)
        var node = node(of: snapshot)
        for key in tails[snapshot.tailStart...] { node = node.child(key) }
        snapshot.walked = node
    }

    private mutating func walk(_ snapshot: inout Snapshot, _ way: Way) throws(EvaluationError) {
        if snapshot.isNowhere { return }
        switch way {
        case .nowhere:
            snapshot.isNowhere = true
            snapshot.walked = .empty
        case .one(let key):
            try spend(1)
            if keepsTails { tails.append(key) }
            snapshot.walked = child(key, of: snapshot)
        case .many(let keys):
            try spend(keys.count)
            if keepsTails { tails += keys }
            snapshot.walked = keys.reduce(node(of: snapshot)) { $0.child($1) }
        }
    }

    private mutating func child(_ key: Key, of snapshot: Snapshot) -> Node {
        if let node = snapshot.walked { return node.child(key) }
        reach(snapshot)
        return snapshot.isAfter
            ? levels[snapshot.depth].new.node.child(key) : levels[snapshot.depth].old.child(key)
    }

    private mutating func reach(_ snapshot: Snapshot) {
        if snapshot.isAfter { reachNew(snapshot.depth) } else { reachOld(snapshot.depth) }
    }

    private mutating func node(of snapshot: Snapshot) -> Node {
        if let node = snapshot.walked { return node }
        reach(snapshot)
        return snapshot.isAfter ? levels[snapshot.depth].new.node : levels[snapshot.depth].old
    }

    /// The steps that an argument names.
    private mutating func way(_ argument: PathArgument, of name: String) throws(EvaluationError) -> Way {
        switch argument {
        case .step(let place): return .one(key(inTableAt: place))
        case .known(let place): return expression._withUnsafeGuaranteedRef { $0.tables.ways[place] }
        case .captured(let depth):
            if let names = circumstances?.names { return Way(names[depth]) }
            return .one(key(to: depth + 1))
        case .computed(let step):
            let (way, count) = try withText(step, for: name) { text, _ in (Way(text), text.count) }
            try spend(count / 16)
            return way
        }
    }

    private func key(inTableAt place: Int) -> Key {
        expression._withUnsafeGuaranteedRef { $0.tables.keys[place] }
    }

    /// What stands at a snapshot.
    mutating func nature(_ step: Int) throws(EvaluationError) -> Node.Nature {
        switch operations[step] {
        // By far the commonest ones, where nothing is to be recorded.
        case .newData:
            try spend(1)
            reachNew(location)
            return levels[location].new.nature
        case .data where !isRecording:
            try spend(1)
            reachOld(location)
            return levels[location].old.nature
        default: return try askedNode(step).nature
        }
    }

    /// How long the text is that stands at a snapshot.
    ///
    /// - Throws: what becomes of a `length` without a text.
    mutating func textLengths(_ step: Int) throws(EvaluationError) -> (utf8: Int, utf16: Int) {
        guard case .newData = operations[step] else {
            let node = try askedNode(step)
            if let lengths = node.textLengths { return (lengths.utf8, lengths.utf16) }
            throw .operand(of: "length", is: Value(of: node).kind, wanted: "string")
        }
        try spend(1)
        reachNew(location)
        if let plain = levels[location].new.plainText { return (plain.count, plain.count) }
        if let lengths = levels[location].new.node.textLengths { return (lengths.utf8, lengths.utf16) }
        throw .operand(of: "length", is: Value(of: levels[location].new.node).kind, wanted: "string")
    }

    /// The node of a snapshot that is asked for what is there.
    mutating func askedNode(_ step: Int) throws(EvaluationError) -> Node {
        if case .newData = operations[step] {
            try spend(1)
            reachNew(location)
            return levels[location].new.node
        }
        let snapshot = try snapshot(step)
        if isRecording { record(snapshot) }
        forgetTails(from: snapshot.tailStart)
        return node(of: snapshot)
    }

    /// Records that somebody has asked what is there.
    private func record(_ snapshot: Snapshot, below way: [Key] = []) {
        guard let notes, !snapshot.isAfter, !snapshot.isNowhere else { return }
        notes.reads.insert(Path(keys(to: snapshot.depth) + tails[snapshot.tailStart...] + way))
    }

    private mutating func forgetTails(from start: Int) {
        if tails.count > start { tails.removeLast(tails.count - start) }
    }

    mutating func hasChild(_ argument: PathArgument, at step: Int) throws(EvaluationError) -> Bool {
        let snapshot = try snapshot(step)
        let hasChild = try has(argument, in: snapshot, node(of: snapshot), asked: "hasChild()")
        forgetTails(from: snapshot.tailStart)
        return hasChild
    }

    /// - Parameter arguments: the places of the names in their table.
    mutating func hasChildren(_ arguments: Range<Int>, at step: Int) throws(EvaluationError) -> Bool {
        let snapshot = try snapshot(step)
        let node = node(of: snapshot)
        var hasAll = true
        for place in arguments where hasAll {
            let argument = expression._withUnsafeGuaranteedRef { $0.tables.arguments[place] }
            hasAll = try has(argument, in: snapshot, node, asked: "hasChildren()")
        }
        forgetTails(from: snapshot.tailStart)
        return hasAll
    }

    /// - Parameter keys: the places of the names in the table of keys.
    mutating func hasNames(_ keys: Range<Int>, at step: Int) throws(EvaluationError) -> Bool {
        if case .newData = operations[step] {
            reachNew(location)
            if let members = newMembers(at: location) { return try hasNames(keys, among: members) }
        }
        let snapshot = try snapshot(step)
        let node = node(of: snapshot)
        var hasAll = true
        for place in keys where hasAll {
            hasAll = try has(.step(place), in: snapshot, node, asked: "hasChildren()")
        }
        forgetTails(from: snapshot.tailStart)
        return hasAll
    }

    /// The same for the members of the new object here, in as many steps.
    private mutating func hasNames(
        _ keys: Range<Int>, among members: UnsafeBufferPointer<PackedObject.Member>
    ) throws(EvaluationError) -> Bool {
        var count = 0
        let expression = expression
        let hasAll = levels[location].new.made.withPackedObject { object in
            expression._withUnsafeGuaranteedRef { expression in
                expression.tables.keys.withUnsafeBufferPointer { all in
                    count = object.countOfNames(UnsafeBufferPointer(rebasing: all[keys]), among: members)
                    return count == keys.count
                }
            }
        }
        guard let hasAll else { preconditionFailure("only what is kept as text has such members") }
        try spend(hasAll ? count + 1 : count + 2)
        return hasAll
    }

    private mutating func has(
        _ argument: PathArgument, in snapshot: Snapshot, _ node: Node, asked name: String
    ) throws(EvaluationError) -> Bool {
        if !isRecording, case .step(let place) = argument {
            try spend(1)
            return node.hasChild(key(inTableAt: place))
        }
        switch try way(argument, of: name) {
        case .nowhere: return false
        case .one(let key):
            try spend(1)
            if isRecording { record(snapshot, below: [key]) }
            return node.hasChild(key)
        case .many(let keys):
            try spend(keys.count)
            if isRecording { record(snapshot, below: keys) }
            return !keys.reduce(node) { $0.child($1) }.isEmpty
        }
    }
}
