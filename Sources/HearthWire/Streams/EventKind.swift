// The names of child events, as clients ask for them and as they are told.

/// A kind of event about the children of a place. Source: event-streams.md §2.
public enum EventKind: UInt8, CaseIterable, Sendable {
    case childRemoved, childAdded, childMoved, childChanged, value

    /// The name on the wire.
    public var name: StaticString {
        switch self {
        case .childRemoved: "child_removed"
        case .childAdded: "child_added"
        case .childMoved: "child_moved"
        case .childChanged: "child_changed"
        case .value: "value"
        }
    }

    /// The kind of that name, nil if there is none.
    public init?(name: some StringProtocol) {
        guard let kind = Self.allCases.first(where: { name == "\($0.name)" }) else { return nil }
        self = kind
    }
}

/// The kinds of events that a client asked for.
public struct EventKinds: OptionSet, Hashable, Sendable {
    /// One bit per kind.
    public let rawValue: UInt8

    /// Wraps bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Just this kind.
    public init(_ kind: EventKind) {
        rawValue = 1 << kind.rawValue
    }

    /// Reads a comma-separated list of names, spaces around them allowed; nil for an empty list or an unknown
    /// name.
    init?(list: String) {
        self = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            guard let kind = EventKind(name: String(trimmed)) else { return nil }
            insert(EventKinds(kind))
        }
    }

    /// Whether this kind was asked for.
    public func contains(_ kind: EventKind) -> Bool {
        contains(EventKinds(kind))
    }
}
