// Finds the places on which permissions of streams depend, when a commit changes what was seen there.

public import HearthCore
import HearthRules
public import HearthSync

/// A place at which a commit has changed what rules can see of it.
public struct Shaken: Sendable {
    /// The place.
    public let path: Path
    /// The loops with streams whose permission depends on it.
    public let loops: LoopSet
}

/// The places that judgements have looked at, each with the loops that want to know when it changes.
struct WatchTree: Sendable {
    private var tree = ViewTree()
    private var ids: [Path: ViewID] = [:]

    /// - Complexity: O(paths · depth).
    mutating func watch(_ reads: ReadSet, on loop: Int) {
        for path in reads.paths { ids[path] = tree.subscribe(to: View(path: path), on: loop) }
    }

    mutating func unwatch(_ reads: ReadSet, on loop: Int) {
        for path in reads.paths {
            guard let id = ids[path] else { preconditionFailure("only what is watched can be let go") }
            tree.unsubscribe(from: id, on: loop)
            if tree.view(id) == nil { ids[path] = nil }
        }
    }

    /// How many places are watched.
    var count: Int { ids.count }

    /// The places that differ between the states around some edits.
    ///
    /// - Complexity: O(watched places at, above and below the written ones · depth · log n).
    func shaken(by edits: [Edit], from before: Node, to after: Node) -> [Shaken] {
        guard !ids.isEmpty else { return [] }
        var shaken: [Shaken] = []
        for touched in tree.touched(by: edits) {
            guard let path = tree.view(touched.id)?.path,
                !ReadSet.looksAlike(before.descendant(at: path), after.descendant(at: path))
            else { continue }
            shaken.append(Shaken(path: path, loops: touched.loops))
        }
        return shaken
    }
}
