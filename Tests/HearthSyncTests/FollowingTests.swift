// Clients that apply what they are told hold what a fresh read gives, whatever is written.
import HearthCore
import HearthSync
import HearthTesting
import Testing

/// What a client knows of a view: the children in order, and the value.
struct Follower {
    let view: View
    private(set) var children: [(key: Key, node: Node)] = []
    private(set) var value = Node.empty

    init(_ view: View, in state: State) throws {
        self.view = view
        for event in try view.present(in: state) { apply(event) }
        value = try view.value(in: state)
    }

    mutating func follow(_ step: Step) throws {
        let events = try view.events(of: step.commit, before: step.before, after: step.after)
        let kinds = events.children.map(\.kind.rawValue)
        #expect(kinds == kinds.sorted(), "removed, added, moved, changed")
        // A moved or changed child, too, is told with the neighbour that it has in the end.
        for event in events.children where event.kind == .removed { apply(event) }
        for event in events.children where event.kind == .moved { children.removeAll { $0.key == event.key } }
        placeAll(events.children.filter { $0.kind == .added || $0.kind == .moved })
        for event in events.children where event.kind == .changed { apply(event) }
        let change = try view.change(by: step.commit, before: step.before, after: step.after)
        let before = value
        if let change { apply(change) }
        #expect(events.isValueChanged || before.plain == value.plain)
    }

    /// Puts in what is new or has moved, each after the child that it names, whichever comes first.
    private mutating func placeAll(_ events: [ChildEvent]) {
        var open = events
        while let index = open.firstIndex(where: { event in
            event.previous == nil || children.contains { $0.key == event.previous }
        }) {
            apply(open.remove(at: index))
        }
        #expect(open.isEmpty, "each names a child that is there")
    }

    private mutating func apply(_ event: ChildEvent) {
        switch event.kind {
        case .removed:
            let index = children.firstIndex { $0.key == event.key }
            #expect(index.map { children[$0].node } == event.data, "what leaves is told as it was")
            if let index { children.remove(at: index) }
        case .added, .moved:
            let before = children.firstIndex { $0.key == event.previous }
            children.insert((event.key, event.data), at: before.map { $0 + 1 } ?? 0)
        case .changed:
            let index = children.firstIndex { $0.key == event.key }
            #expect(index != nil, "what changes is there")
            if let index { children[index].node = event.data }
        }
    }

    private mutating func apply(_ change: ValueChange) {
        switch change {
        case .put(let path, let node):
            value.set(node, at: path)
        case .patch(let path, let members):
            for member in members { value.set(member.node, at: path.appending(member.path)) }
        case .prioritize(let path, let priority):
            value.set(value.descendant(at: path).settingPriority(priority), at: path)
        }
    }
}

extension Node {
    /// As plain JSON shows it: without priorities.
    var plain: String { String(decoding: NodeSerializer.bytes(of: self), as: UTF8.self) }
}

@Suite("A client that applies what it is told")
struct FollowingTests {
    @Test("holds what a fresh read gives", arguments: [0, 128])
    func model(childThreshold: Int) throws {
        var random = SeededRandom(for: "following")
        for _ in 0..<20 {
            var chance = RandomQueries(random: random.branch())
            var scene = try Scene("{}", rules: RandomQueries.rules, childThreshold: childThreshold)
            var followers = try views(&chance).map { try Follower($0, in: scene.state) }
            for _ in 0..<60 {
                let write = try chance.write()
                let step = scene.perform(write.kind, write.base, write.edits)
                for index in followers.indices {
                    try followers[index].follow(step)
                    try expect(followers[index], holds: scene.state, after: write.edits)
                }
            }
        }
    }

    private func views(_ chance: inout RandomQueries) throws -> [View] {
        var views = [View(path: .root), View(path: try Path("/q")), View(path: try Path("/q/n"))]
        for _ in 0..<8 { views.append(View(path: try Path("/q"), query: try chance.query())) }
        views.append(View(path: try Path("/q"), query: Query(order: .value)))
        views.append(View(path: try Path("/q/a"), query: Query(order: .key, limit: .last(2))))
        return views
    }

    private func expect(_ follower: Follower, holds state: State, after edits: [Edit]) throws {
        let window = try Window(of: follower.view, in: state)
        #expect(
            follower.children.map(\.key) == window.children.map(\.key), "\(follower.view) after \(edits)")
        for (child, entry) in zip(follower.children, window.children) {
            #expect(child.node == entry.node, "\(follower.view) after \(edits)")
        }
        let value = try follower.view.value(in: state)
        #expect(follower.value.plain == value.plain, "\(follower.view) after \(edits)")
    }
}
