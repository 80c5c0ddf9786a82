// What a client holds for one listen, and how pushes change it.

import HearthCore

/// What a client holds for one listen.
struct ReplicaCopy: Sendable {
    private let query: Query
    private var node = Node.empty
    /// Whether it holds all that the server has for it.
    private(set) var isComplete = false
    /// Whether only the window is held; a push for a wider listen may have brought everything.
    private var isFiltered = false

    init(_ query: Query) {
        self.query = query
    }

    /// What a listener sees.
    var value: Node {
        query.isUnfiltered || isFiltered ? node : window(of: node)
    }

    mutating func complete() {
        // A wider listen may have brought everything before: that stays, and the window is cut from it. If it
        // has brought some, it is the window of these that was named and is confirmed.
        if !isComplete { narrow() }
        isComplete = true
    }

    /// Takes in what stands at a place, which is read from the listen's.
    mutating func overwrite(_ place: Path, _ content: Push.Content, isTagged: Bool) {
        guard let key = place.keys.first else {
            replace(content, isTagged: isTagged)
            return
        }
        if isTagged { narrow() }
        let holdsChild = isComplete && !isFiltered || !node.child(key).isEmpty
        guard holdsChild || place.depth == 1 else { return }
        update(key, to: node.child(key).taking(content, at: place.dropping(1)))
    }

    /// Takes in several places below the listen's: first those of children that are held, then the others.
    mutating func merge(_ members: [Push.Member], isTagged: Bool) {
        guard isComplete || !node.isEmpty else { return }
        if isTagged { narrow() }
        let held = Set(node.children().map(\.key))
        let keys = Set(members.compactMap(\.path.keys.first)).sorted()
        for key in keys where held.contains(key) { merge(key, members) }
        for key in keys where !held.contains(key) {
            let isDeep = !members.contains { $0.path == Path([key]) }
            let isKnown = isComplete && !isFiltered
            if isKnown || !isDeep { merge(key, members) }
        }
    }

    /// Lets go of what a wider listen had brought.
    private mutating func narrow() {
        guard !query.isUnfiltered, !isFiltered else { return }
        node = window(of: node)
        isFiltered = true
    }

    private mutating func merge(_ key: Key, _ members: [Push.Member]) {
        var child = node.child(key)
        // As the SDK walks them: by the text of their paths, which puts priorities first.
        let parts = members.filter { $0.path.keys.first == key }.sorted {
            $0.walkText.utf8.lexicographicallyPrecedes($1.walkText.utf8)
        }
        for part in parts { child = child.taking(part.content, at: part.path.dropping(1)) }
        update(key, to: child)
    }

    private mutating func replace(_ content: Push.Content, isTagged: Bool) {
        switch content {
        case .priority(let priority):
            if query.isUnfiltered { node = node.settingPriority(priority) }
        case .node(let new):
            isFiltered = isTagged && !query.isUnfiltered
            node = isFiltered ? window(of: new) : new
            isComplete = true
        }
    }

    private mutating func update(_ key: Key, to child: Node) {
        guard !query.isUnfiltered, isFiltered else {
            node.set(child, at: Path([key]))
            return
        }
        let child = query.contains(query.position(of: child, key: key)) ? child : .empty
        guard let limit = query.limit, node.childCount >= limit.count, node.child(key).isEmpty,
            !child.isEmpty
        else {
            node.set(child, at: Path([key]))
            return
        }
        // Full: who comes takes the place of the last one, or is ignored.
        guard let boundary = boundary, query.isBetter(query.position(of: child, key: key), than: boundary)
        else { return }
        node.set(child, at: Path([key]))
        node.set(.empty, at: Path([boundary.key]))
    }

    private var boundary: Query.Position? {
        let positions = node.children().map { query.position(of: $0.node, key: $0.key) }
        if case .first = query.limit { return positions.max() }
        return positions.min()
    }

    /// The window, sorted and cut in the plainest way; without the priority of the place.
    private func window(of node: Node) -> Node {
        var positions = node.children().map { query.position(of: $0.node, key: $0.key) }
            .filter { query.contains($0) }.sorted()
        switch query.limit {
        case .first(let count): positions = Array(positions.prefix(count))
        case .last(let count): positions = Array(positions.suffix(count))
        case nil: break
        }
        return positions.reduce(Node.empty) { $0.setting(node.child($1.key), at: Path([$1.key])) }
    }
}

extension Node {
    fileprivate func taking(_ content: Push.Content, at path: Path) -> Node {
        switch content {
        case .node(let node): setting(node, at: path)
        case .priority(let priority):
            setting(descendant(at: path).settingPriority(priority), at: path)
        }
    }
}

extension Push.Member {
    fileprivate var walkText: String {
        var text = path.keys.map(\.text).joined(separator: "\u{0}")
        if case .priority = content { text += "\u{0}.priority" }
        return text
    }
}

extension Query {
    /// Whether a place is nearer to the side from which the limit counts.
    fileprivate func isBetter(_ position: Position, than other: Position) -> Bool {
        if case .first = limit { return position < other }
        return position > other
    }
}

extension Query.Limit {
    fileprivate var count: Int {
        switch self {
        case .first(let count), .last(let count): count
        }
    }
}
