// The query object of a listen or a get: from its short members to a query, and back.
public import HearthCore
public import HearthJSON

/// A query as the realtime protocol spells it. Source: wire-protocol.md §11.
///
///     {"i":"created","sp":5,"sn":"k","sin":true,"ep":9,"ein":false,"l":50,"vf":"r"}
///      order         └─ from (5, "k") on ─────┘ └ below 9 ────────┘ the last 50
///
/// A bound is a value with a name beside it; ordered by key, the value is the name.
public struct RealtimeQuery: Sendable {
    /// What is asked for.
    public let query: Query
    /// The object exactly as the client wrote it: it knows its listen by it, so that it must come back
    /// unchanged when the listen is revoked.
    public let text: [UInt8]

    /// The most UTF-16 code units in the name of a bound: what the SDKs make up for "before" and "after".
    /// That is more than a key may have.
    public static let nameLimit = 786

    /// Reads an object; what no member says is not asked for, and unknown members do not count.
    ///
    /// - Throws: the first member that says nothing, or the fault in the text.
    /// - Complexity: O(n) in the bytes.
    public init(reading text: [UInt8]) throws(RealtimeQueryError) {
        let members = text.withUnsafeBytes(RealtimeQueryMembers.read)
        query = try members.get().query()
        self.text = text
    }

    /// Whether all children are asked for. Such a listen is as good as one of the whole value, and SDKs
    /// send it as that.
    public var isUnfiltered: Bool { query.isUnfiltered }
}

/// Why an object is no query.
public enum RealtimeQueryError: Error, Equatable, Sendable {
    /// It is no JSON.
    case json(JSONError.Reason)
    /// It is JSON, but no object.
    case notAnObject
    /// The member of that name says nothing that it could mean.
    case invalid(member: String)
    /// A name stands beside no value.
    case nameWithoutValue(member: String)
}

extension RealtimeQueryError: CustomStringConvertible {
    /// What is wrong, in one line; the text itself is left out.
    public var description: String {
        switch self {
        case .json(let reason): "the query is no JSON: \(reason)"
        case .notAnObject: "a query must be an object"
        case .invalid("i"): "i must be .key, .value, .priority or the path of a child"
        case .invalid("l"): "l must be a whole number above 0"
        case .invalid("vf"): "vf must be l or r"
        case .invalid("sin"), .invalid("ein"): "sin and ein must be true or false"
        case .invalid("sn"), .invalid("en"):
            "sn and en must be texts of at most \(RealtimeQuery.nameLimit) characters"
        case .invalid:
            "sp and ep must be a text, a number, a boolean or null; in the order by key a text of at most "
                + "\(RealtimeQuery.nameLimit) characters"
        case .nameWithoutValue: "sn and en must stand beside sp and ep"
        }
    }
}

/// The names that stand before and after all keys. Source: wire-protocol.md §10.4.
enum Sentinel {
    static let first = "[MIN_NAME]"
    static let last = "[MAX_NAME]"
}
