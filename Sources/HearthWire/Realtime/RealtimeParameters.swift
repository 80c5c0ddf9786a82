// The parameters of the realtime protocol's addresses.

/// What stands behind the `?` of `/.ws` and `/.lp`. Source: wire-protocol.md §1.1.
///
/// Clients do not percent-encode; browsers may. Both are read, unknown names do not count, and of equal names
/// the first one counts.
public struct RealtimeParameters: Sendable {
    private var values: [String: String] = [:]

    /// Reads the query string of a request.
    public init(_ head: borrowing HTTPRequestHead) {
        guard let range = head.query else { return }
        for pair in head.fields.bytes[range].split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = PercentDecoding.path.text(of: pair[..<equals]), values[name] == nil,
                let value = PercentDecoding.path.text(of: pair[min(equals + 1, pair.endIndex)...])
            else { continue }
            values[name] = value
        }
    }

    /// The database that is meant.
    public var namespace: String? { values["ns"] }
    /// The session that this transport is to be attached to.
    public var session: String? { values["s"] }
    /// The session that the client had before.
    public var lastSession: String? { values["ls"] }

    /// The value of a parameter, decoded; nil if it is not there.
    public subscript(_ name: String) -> String? { values[name] }
}
