// The parameters of a query string, decoded once.

/// The known parameters of a query string; unknown ones are ignored. Source: rest-api.md §4, §5, event-
/// streams.md §2.
public struct RESTParameters: Sendable {
    /// Every parameter that means something, as clients spell it.
    public enum Name: String, CaseIterable, Sendable {
        case accessToken = "access_token"
        case auth
        case authVariableOverride = "auth_variable_override"
        case callback
        case download
        case dryRun
        case disableTriggers
        case endAt, endBefore, equalTo
        case events
        case feed
        case format
        case limit, limitToFirst, limitToLast
        case methodOverride = "x-http-method-override"
        case mode
        case namespace = "ns"
        case orderBy
        case path
        case print
        case shallow
        case since
        case startAt, startAfter
        case timeout
        case writeSizeLimit

        /// Whether it is part of a query over children.
        var isQuery: Bool {
            switch self {
            case .orderBy, .startAt, .startAfter, .endAt, .endBefore, .equalTo, .limitToFirst,
                .limitToLast:
                true
            default: false
            }
        }
    }

    private var values: [(name: Name, value: String)] = []
    /// Where in the head the value of `since` stands; nil unless it stands there once, as it is.
    private(set) var sincePlace: Range<Int>?

    /// No parameters.
    public init() {}

    /// Reads the query string of a request.
    ///
    /// A parameter without `=` has the empty value. The same parameter twice is fine if the values are equal.
    /// - Throws: 400 for known parameters that are not percent-encoded UTF-8 or contradict each other.
    public init(_ head: borrowing HTTPRequestHead) throws(RESTError) {
        guard let range = head.query else { return }
        let bytes = head.fields.bytes
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes[start..<range.upperBound].firstIndex(of: 0x26) ?? range.upperBound
            try take(bytes[start..<end])
            start = end + 1
        }
    }

    private mutating func take(_ pair: ArraySlice<UInt8>) throws(RESTError) {
        let equals = pair.firstIndex(of: 0x3d) ?? pair.endIndex
        guard let name = Self.name(pair[..<equals]) else { return }
        guard let value = PercentDecoding.query.text(of: pair[min(equals + 1, pair.endIndex)...]) else {
            throw .badValue(name)
        }
        if let known = self[name] {
            guard known == value else { throw .conflict(name) }
            if name == .since { sincePlace = nil }
        } else {
            values.append((name, value))
            if name == .since, value.utf8.count == pair.endIndex - equals - 1 {
                sincePlace = equals + 1..<pair.endIndex
            }
        }
    }

    /// The names as bytes, by their length.
    private static let names: [[(bytes: [UInt8], name: Name)]] = {
        let all = Name.allCases.map { (bytes: [UInt8]($0.rawValue.utf8), name: $0) }
        let longest = all.map(\.bytes.count).max() ?? 0
        return (0...longest).map { count in all.filter { $0.bytes.count == count } }
    }()

    /// The name that stands before the equals sign, nil if it is none that means something.
    private static func name(_ bytes: ArraySlice<UInt8>) -> Name? {
        if bytes.count < names.count {
            for known in names[bytes.count] where bytes.elementsEqual(known.bytes) { return known.name }
        }
        // Few are encoded, or in other letters.
        guard let text = PercentDecoding.query.text(of: bytes) else { return nil }
        return Name(rawValue: text)
            ?? (text.lowercased() == "x-http-method-override" ? .methodOverride : nil)
    }

    /// The decoded value of a parameter, nil if it is not there.
    public subscript(_ name: Name) -> String? {
        if values.isEmpty { return nil }
        for index in values.indices where values[index].name == name { return values[index].value }
        return nil
    }

    /// Whether a parameter is there and says `true`.
    public func isTrue(_ name: Name) -> Bool {
        self[name] == "true"
    }

    /// Whether any parameter of a query over children is there.
    var hasQuery: Bool {
        values.contains { $0.name.isQuery }
    }
}
