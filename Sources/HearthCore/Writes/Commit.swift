// What was written, resolved: the same whenever and wherever it is applied again.

/// One resolved change of the tree: no server value is left in it.
public enum Edit: Sendable, Equatable {
    /// Puts `node`, priority included, at `path`; the empty node removes.
    case put(Path, Node)
    /// Gives what stands at `path` another priority; nothing stays nothing.
    case prioritize(Path, Priority)

    /// The written place.
    public var path: Path {
        switch self {
        case .put(let path, _), .prioritize(let path, _): path
        }
    }

    /// About how many bytes of JSON the edit carries.
    public var weight: Int {
        switch self {
        case .put(let path, let node): path.depth * 24 + node.weight
        case .prioritize(let path, _): path.depth * 24 + 24
        }
    }
}

extension Node {
    /// The tree after `edits`, in their order. The one way in which a tree changes: commits, replay and
    /// undo use it.
    public func applying(_ edits: [Edit]) -> Node {
        if edits.count == 1 { return applying(edits[0]) }
        var root = self
        root.apply(edits)
        return root
    }

    func applying(_ edit: Edit) -> Node {
        if case .put(let path, let node) = edit, let changed = putting(node, at: path) { return changed }
        var root = self
        root.apply(edit)
        return root
    }

    /// The mutating twin of `applying(_:)`. What no other node shares is changed in place.
    public mutating func apply(_ edits: [Edit]) {
        for edit in edits { apply(edit) }
    }

    private mutating func apply(_ edit: Edit) {
        switch edit {
        case .put(let path, let node):
            set(node, at: path)
        case .prioritize(let path, let priority):
            set(descendant(at: path).settingPriority(priority), at: path)
        }
    }

    /// The edits that lead back from `applying(edits)` to this tree, in the order in which they must be
    /// applied.
    ///
    /// - Complexity: O(edits · depth · log n); values are shared, not copied.
    public func undo(of edits: [Edit]) -> [Edit] {
        var root = self
        var undo: [Edit] = []
        for edit in edits {
            let next = root.applying(edit)
            undo.append(root.undo(of: edit, leadingTo: next))
            root = next
        }
        return undo.reversed()
    }

    /// The edit that leads back from `next`, which `edit` has made of this tree.
    public func undo(of edit: Edit, leadingTo next: Node) -> Edit {
        switch edit {
        case .prioritize(let path, _): return .prioritize(path, descendant(at: path).priority)
        case .put(let path, let node):
            if !node.isEmpty, let old = childOfPages(at: path) {
                // What is put among others makes nothing above it come or go.
                return .put(path, old.detached)
            }
            let path = firstVanishingPrefix(of: path, in: next)
            // History keeps it long, and should keep no page for it.
            return .put(path, descendant(at: path).detached)
        }
    }

    /// The shortest prefix of `path` at which this tree and `next` differ in more than the children that
    /// lead on to `path`: an ancestor that came, went, or was a leaf before.
    private func firstVanishingPrefix(of path: Path, in next: Node) -> Path {
        var old = self
        var new = next
        for (depth, key) in path.keys.enumerated() {
            if !old.hasChildren || !new.hasChildren { return path.prefix(depth) }
            old = old.child(key)
            new = new.child(key)
        }
        return path
    }
}

/// A write that was allowed and given a revision.
public struct Commit: Sendable {
    /// What it did, beyond the edits: streams tell them apart.
    public enum Kind: Hashable, Sendable {
        /// Replaced what stands at one place (PUT, POST, DELETE).
        case set
        /// Replaced named children below one place (PATCH).
        case update
        /// Replaced the security rules; has no edits.
        case rules
    }

    /// The number of commits of the namespace with this one.
    public let revision: Revision
    /// Milliseconds since 1970; never less than that of the commit before.
    public let time: Int64
    /// Which form of write it was.
    public let kind: Kind
    /// The place that the request named; every edit is there or below.
    public let base: Path
    /// What was written.
    public let edits: [Edit]
    /// What leads back, nil if it was too large to keep.
    public let undo: [Edit]?
    /// The new rules text if `kind` is `rules`, as UTF-8.
    public let rules: [UInt8]?

    /// Puts a commit together.
    public init(
        revision: Revision, time: Int64, kind: Kind, base: Path, edits: [Edit], undo: [Edit]?
    ) {
        self.revision = revision
        self.time = time
        self.kind = kind
        self.base = base
        self.edits = edits
        self.undo = undo
        rules = nil
    }

    /// A commit that replaces the rules. It has no undo: resuming over it is a resync.
    public init(revision: Revision, time: Int64, rules: [UInt8]) {
        self.revision = revision
        self.time = time
        kind = .rules
        base = .root
        edits = []
        undo = nil
        self.rules = rules
    }
}
