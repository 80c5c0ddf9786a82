// A value as a client sent it: server values stand in it until the commit resolves them.

/// A placeholder that is replaced at commit time. Source: rest-api.md §8.
public enum ServerValue: Hashable, Sendable {
    /// The commit's time in ms.
    case timestamp
    /// The old number plus this one (which is a number); this one alone if there was no number.
    case increment(Leaf)
}

/// A value as a client sent it: what is known now, and what the commit must fill in.
public struct Draft: Sendable {
    /// A place that the commit fills in.
    public struct Placeholder: Sendable, Equatable {
        /// What is filled in there.
        public enum Target: Hashable, Sendable {
            /// The value of a leaf that has this priority.
            case value(priority: Priority)
            /// The priority of the node.
            case priority
        }

        /// The place, read from the written one.
        public let path: Path
        /// Value or priority.
        public let target: Target
        /// What it becomes.
        public let serverValue: ServerValue

        /// Puts a placeholder together.
        public init(path: Path, target: Target, serverValue: ServerValue) {
            self.path = path
            self.target = target
            self.serverValue = serverValue
        }
    }

    /// What stands where a value is still to be filled in, so that everything around it is in place
    /// already.
    static let standIn = Leaf.integer(0)

    /// The value, with a 0 wherever a value is still to be filled in.
    public var node: Node
    /// What is still to be filled in, values before the priorities of the same place.
    public var placeholders: [Placeholder]
    /// The priority, if that alone is to be changed and whatever stands at the place stays; the node says
    /// nothing then. Only updates have such drafts.
    public private(set) var solePriority: Placeholder.Resolution?

    /// A draft; without placeholders it is its node.
    public init(_ node: Node, placeholders: [Placeholder] = []) {
        self.node = node
        self.placeholders = placeholders
    }

    /// A draft of a priority alone.
    public init(solePriority: Placeholder.Resolution) {
        self.init(.empty)
        self.solePriority = solePriority
    }
}
