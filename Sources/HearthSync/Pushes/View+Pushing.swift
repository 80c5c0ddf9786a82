// What the realtime protocol pushes to the listeners of a view (wire-protocol.md §6.4, §6.5).

public import HearthCore

extension View {
    /// What a listener on this view is told about a commit; nil if it changes nothing for him.
    ///
    /// Without bounds and limit it keeps a copy of the whole value equal, and may reach any listener at,
    /// above or below. With them it is meant for listeners of this view alone, whose copies hold the window
    /// and nothing else: what leaves is put to nothing, what enters is sent whole, both in one push. Pure:
    /// it may run anywhere.
    ///
    /// Of one commit, a client is sent the pushes of its filtered listens first: a whole child that is
    /// pushed for a plain listen displaces another one in windows that have not heard of the commit.
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    /// - Complexity: O(written · log n), with a limit O(log n + limit) more.
    public func push(
        by commit: Commit, before: State, after: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> Push? {
        let change = PlaceChange(commit, at: path, before: before, after: after)
        guard !query.isUnfiltered else { return wholePush(change, by: commit) }
        guard
            let window = try WindowChange(
                change, view: self, before: before, after: after, sortLimit: sortLimit)
        else { return nil }
        if change.hasReplacement {
            let result = try Window(of: self, in: after, sortLimit: sortLimit).result
            return .overwrite(path, .node(result))
        }
        return windowPush(window, WrittenPlaces(commit, at: path, change))
    }

    private func wholePush(_ change: PlaceChange, by commit: Commit) -> Push? {
        if change.hasReplacement {
            return change.before == change.after ? nil : .overwrite(path, .node(change.after))
        }
        let written = WrittenPlaces(commit, at: path, change)
        guard let first = written.members.first else { return nil }
        if written.members.count == 1 { return .overwrite(path.appending(first.path), first.content) }
        guard written.isOrderless else {
            let place = written.commonPlace
            return .overwrite(path.appending(place), .node(change.after.descendant(at: place)))
        }
        let base = path.contains(commit.base) ? commit.base.dropping(path.depth) : .root
        let members = written.members.map { member in
            Push.Member(path: member.path.dropping(base.depth), content: member.content)
        }
        return .merge(path.appending(base), members)
    }

    private func windowPush(_ window: WindowChange, _ written: WrittenPlaces) -> Push? {
        var members: [Push.Member] = []
        for child in window.children.sorted(by: { $0.key < $1.key }) {
            let isStaying = child.before != nil && child.after != nil
            members += isStaying ? written.parts(of: child.key) : []
            if !isStaying {
                members.append(.init(path: Path([child.key]), content: .node(child.after?.node ?? .empty)))
            }
        }
        guard let first = members.first else { return nil }
        // Alone it displaces nobody: there is room for who enters, and nobody comes after who leaves.
        if members.count == 1 { return .overwrite(path.appending(first.path), first.content) }
        return .merge(path, members)
    }
}

/// The places below a view's place that a commit really changed, with what stands there now.
private struct WrittenPlaces {
    private let before: Node
    private let after: Node
    /// Read from the view's place.
    let members: [Push.Member]

    /// - Precondition: the commit put nothing at the place or above it.
    /// - Complexity: O(size of what was written).
    init(_ commit: Commit, at path: Path, _ change: PlaceChange) {
        before = change.before
        after = change.after
        let (old, new) = (change.before, change.after)
        members = commit.edits.compactMap { edit in
            guard path.contains(edit.path) else { return nil }
            let place = edit.path.dropping(path.depth)
            let (before, after) = (old.descendant(at: place), new.descendant(at: place))
            switch edit {
            case .put: return before == after ? nil : .init(path: place, content: .node(after))
            case .prioritize:
                // What vanishes with the same commit is told by what took it away.
                guard before.priority != after.priority, !after.isEmpty else { return nil }
                return .init(path: place, content: .priority(after.priority))
            }
        }
    }

    private init(before: Node, after: Node, members: [Push.Member]) {
        self.before = before
        self.after = after
        self.members = members
    }

    /// Whether clients that take the members in one after the other get the same whatever their order.
    ///
    /// A place that is empty in between loses its priority, and a priority finds no place there. Whoever
    /// removes first and adds last meets all of that.
    var isOrderless: Bool {
        let puts = members.filter(\.isPut)
        if puts.count == members.count { return true }
        var result = before
        for member in members where member.isRemoval { result.set(.empty, at: member.path) }
        for member in members {
            guard case .priority(let priority) = member.content else { continue }
            result.set(result.descendant(at: member.path).settingPriority(priority), at: member.path)
        }
        for member in puts {
            if case .node(let node) = member.content { result.set(node, at: member.path) }
        }
        return result == after
    }

    /// The deepest place that all members are at or below.
    var commonPlace: Path {
        guard var common = members.first?.path else { return .root }
        for member in members {
            let shared = zip(common.keys, member.path.keys).prefix { $0 == $1 }.count
            common = common.prefix(shared)
        }
        return common
    }

    /// What changed of one child, read from the view's place: single places, or the whole child.
    func parts(of key: Key) -> [Push.Member] {
        let child = WrittenPlaces(
            before: before.child(key), after: after.child(key),
            members: members.filter { $0.path.keys.first == key }.map { $0.dropping(1) })
        guard child.isOrderless else { return [.init(path: Path([key]), content: .node(child.after))] }
        return child.members.map { .init(path: Path([key] + $0.path.keys), content: $0.content) }
    }
}

extension Push.Member {
    fileprivate var isPut: Bool {
        if case .node(let node) = content { return !node.isEmpty }
        return false
    }

    fileprivate var isRemoval: Bool {
        if case .node(let node) = content { return node.isEmpty }
        return false
    }

    fileprivate func dropping(_ count: Int) -> Push.Member {
        Push.Member(path: path.dropping(count), content: content)
    }
}
