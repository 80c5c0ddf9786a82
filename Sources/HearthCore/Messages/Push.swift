// What the realtime protocol tells a listener about one commit.

/// What keeps a listener's copy equal: what stands now at one place, or at several at once. Paths are those
/// of the tree. Source: wire-protocol.md §6.
public enum Push: Sendable, Equatable {
    /// What stands at a place now.
    public enum Content: Sendable, Equatable {
        /// The value, priority included; empty if nothing is there.
        case node(Node)
        /// The priority of what stands there, and nothing else of it: a value at `.priority`.
        case priority(Priority)
    }

    /// One place of a merge.
    public struct Member: Sendable, Equatable {
        /// The place, read from that of the merge.
        public let path: Path
        /// What stands there.
        public let content: Content

        /// Puts a member together.
        public init(path: Path, content: Content) {
            self.path = path
            self.content = content
        }
    }

    /// Says what stands at a place (`d`).
    case overwrite(Path, Content)
    /// Says what stands at several places at or below one (`m`); they are taken in at once, in any order.
    case merge(Path, [Member])

    /// The place that the push names.
    public var path: Path {
        switch self {
        case .overwrite(let path, _), .merge(let path, _): path
        }
    }
}
