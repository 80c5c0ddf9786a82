// Finds the views that a commit touches.

public import HearthCore

/// The views that somebody is subscribed to, in a trie of the same shape as the data.
///
///     /            ·
///     /rooms       ├── rooms           view 3 (whole)
///     /rooms/lobby │   └── lobby       view 1 (whole), view 2 (last 50)
///     /tokens      └── tokens          view 4 (whole)
///
/// A write at /rooms/lobby/topic touches the views above it, 3, 1 and 2; one at /rooms also those below.
public struct ViewTree: Sendable {
    /// A view that a commit touches, and which loops have subscribers of it.
    public struct Touched: Hashable, Sendable {
        /// The view.
        public let id: ViewID
        /// The loops that have subscribers.
        public let loops: LoopSet
    }

    /// One step of the trie; unused ones are kept for later.
    private struct Place {
        var key: Key?
        var parent: Int
        var children: [Key: Int] = [:]
        var views: [(query: Query, slot: Int)] = []
    }

    private struct Entry {
        let id: ViewID
        let view: View
        let place: Int
        /// How many subscribers each loop has.
        private var counts: [Int] = []
        private(set) var loops = LoopSet()

        init(_ id: ViewID, _ view: View, at place: Int) {
            self.id = id
            self.view = view
            self.place = place
        }

        mutating func add(_ loop: Int) {
            loops.insert(loop)
            while counts.count <= loop { counts.append(0) }
            counts[loop] += 1
        }

        mutating func remove(_ loop: Int) {
            precondition(loops.contains(loop), "only what was subscribed can be unsubscribed")
            counts[loop] -= 1
            if counts[loop] == 0 { loops.remove(loop) }
        }
    }

    private var places: [Place] = [Place(key: nil, parent: 0)]
    private var unused: [Int] = []
    /// The views; nil where one was.
    private var entries: [Entry?] = []
    private var unusedSlots: [Int] = []
    private var slots: [ViewID: Int] = [:]
    private var lastNumber = 0

    /// A tree without views.
    public init() {}

    /// How many views have subscribers.
    public var count: Int { slots.count }

    /// How many places the trie holds, the root included.
    public var placeCount: Int { places.count - unused.count }

    /// The view of that ID, nil if nobody is subscribed to it any more.
    public func view(_ id: ViewID) -> View? {
        slots[id].flatMap { entries[$0]?.view }
    }

    /// Counts one more subscriber of a view on a loop.
    ///
    /// - Complexity: O(depth + views at that place).
    public mutating func subscribe(to view: View, on loop: Int) -> ViewID {
        let place = findOrAddPlace(view.path)
        let slot = slot(of: view.query, at: place) ?? add(view, at: place)
        entries[slot]?.add(loop)
        guard let id = entries[slot]?.id else { preconditionFailure("a view has a number") }
        return id
    }

    /// Counts one subscriber less; with its last one the view is forgotten.
    ///
    /// - Precondition: that loop has a subscriber of it.
    public mutating func unsubscribe(from id: ViewID, on loop: Int) {
        guard let slot = slots[id] else {
            preconditionFailure("only what was subscribed can be unsubscribed")
        }
        entries[slot]?.remove(loop)
        guard let entry = entries[slot], entry.loops.isEmpty else { return }
        slots[id] = nil
        entries[slot] = nil
        unusedSlots.append(slot)
        places[entry.place].views.removeAll { $0.slot == slot }
        prune(entry.place)
    }

    private func slot(of query: Query, at place: Int) -> Int? {
        let views = places[place].views
        for index in views.indices where views[index].query == query { return views[index].slot }
        return nil
    }

    /// The views at, above and below the written places, each once, in no particular order.
    ///
    /// - Complexity: O(writes · depth + touched views); places that are not on the way are not looked at.
    public func touched(by edits: [Edit]) -> [Touched] {
        guard !slots.isEmpty else { return [] }
        var touched: [Touched] = []
        if edits.count == 1 {
            walk(edits[0].path) { touched.append($0) }
            return touched
        }
        var seen: Set<ViewID> = []
        for edit in edits {
            walk(edit.path) { if seen.insert($0.id).inserted { touched.append($0) } }
        }
        return touched
    }

    private func walk(_ path: Path, _ visit: (Touched) -> Void) {
        var index = 0
        for key in path.keys {
            report(index, visit)
            guard let next = places[index].children[key] else { return }
            index = next
        }
        walkBelow(index, visit)
    }

    private func walkBelow(_ start: Int, _ visit: (Touched) -> Void) {
        var open = [start]
        while let index = open.popLast() {
            report(index, visit)
            open.append(contentsOf: places[index].children.values)
        }
    }

    private func report(_ index: Int, _ visit: (Touched) -> Void) {
        for (_, slot) in places[index].views {
            if let entry = entries[slot] { visit(Touched(id: entry.id, loops: entry.loops)) }
        }
    }

    private mutating func add(_ view: View, at place: Int) -> Int {
        lastNumber += 1
        let id = ViewID(number: lastNumber)
        let slot = unusedSlots.popLast() ?? entries.count
        let entry = Entry(id, view, at: place)
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slots[id] = slot
        places[place].views.append((view.query, slot))
        return slot
    }

    private mutating func findOrAddPlace(_ path: Path) -> Int {
        var index = 0
        for key in path.keys {
            if let next = places[index].children[key] {
                index = next
                continue
            }
            let fresh = Place(key: key, parent: index)
            let next = unused.popLast() ?? places.count
            if next == places.count { places.append(fresh) } else { places[next] = fresh }
            places[index].children[key] = next
            index = next
        }
        return index
    }

    /// Frees a place that holds nothing, and then what it alone kept above it.
    private mutating func prune(_ start: Int) {
        var index = start
        while let key = places[index].key, places[index].views.isEmpty, places[index].children.isEmpty {
            let parent = places[index].parent
            places[index] = Place(key: nil, parent: 0)
            places[parent].children[key] = nil
            unused.append(index)
            index = parent
        }
    }
}
