// What a judgement depended on.
public import HearthCore

/// The places whose content a judgement looked at, and whether it looked at the clock.
///
/// Rules never see more of a place than its own value and priority and whether it has children; what
/// stands deeper counts only where it was asked for itself.
public struct ReadSet: Sendable {
    /// The places, each once.
    public private(set) var paths: Set<Path> = []
    /// Whether the verdict may differ at another time.
    public internal(set) var usesNow = false

    /// Nothing.
    public init() {}

    /// Whether the verdict cannot change as long as who asks and the rules stay the same.
    public var isEmpty: Bool { paths.isEmpty && !usesNow }

    mutating func insert(_ path: Path) {
        paths.insert(path)
    }

    /// Whether a write could have changed something that was looked at: a quick test that may say yes
    /// too often.
    ///
    /// - Complexity: O(paths · edits · depth).
    public func mayBeTouched(by edits: [Edit]) -> Bool {
        edits.contains { edit in
            paths.contains { $0.contains(edit.path) || edit.path.contains($0) }
        }
    }

    /// Whether anything that was looked at differs between two states of the whole database.
    ///
    /// - Complexity: O(paths · depth · log n).
    public func differs(from before: Node, to after: Node) -> Bool {
        paths.contains { path in
            !ReadSet.looksAlike(before.descendant(at: path), after.descendant(at: path))
        }
    }

    /// Whether rules see no difference between two contents of a place.
    public static func looksAlike(_ old: Node, _ new: Node) -> Bool {
        old.leaf == new.leaf && old.priority == new.priority
            && old.hasChildren == new.hasChildren
    }
}
