// orderBy, bounds and limits: from parameters to a checked query.

import HearthCore
import HearthJSON

/// Reads the query parameters of a read. Source: rest-api.md §5.
struct RESTQuery {
    let parameters: RESTParameters
    let isShallow: Bool

    /// The query asked for, nil if none is.
    ///
    /// A shallow read may have limits and bounds without `orderBy`; it is then ordered by key, and bounds may
    /// be keys without quotes.
    func query() throws(RESTError) -> Query? {
        guard parameters.hasQuery else { return nil }
        guard let text = parameters[.orderBy] else {
            guard isShallow else { throw .noOrder }
            return try query(by: .key)
        }
        return try query(by: try Self.order(text))
    }

    private func query(by order: Query.Order) throws(RESTError) -> Query {
        var query = Query(order: order)
        query.limit = try limit()
        if let text = parameters[.equalTo] {
            let ranges: [RESTParameters.Name] = [.startAt, .startAfter, .endAt, .endBefore]
            guard ranges.allSatisfy({ parameters[$0] == nil }) else { throw .equalAndRange }
            let place = try place(text, in: order)
            query.lower = place.bound(after: false)
            query.upper = place.bound(after: true)
            return query
        }
        query.lower = try bound(.startAt, .startAfter, in: order, both: .bothStarts)
        query.upper = try bound(.endBefore, .endAt, in: order, both: .bothEnds)
        return query
    }

    /// The bound that one of two parameters sets: the first one before the named place, the second one after
    /// it.
    private func bound(
        _ before: RESTParameters.Name, _ after: RESTParameters.Name, in order: Query.Order, both: RESTError
    ) throws(RESTError) -> Query.Bound? {
        switch (parameters[before], parameters[after]) {
        case (nil, nil): nil
        case (let text?, nil): try place(text, in: order).bound(after: false)
        case (nil, let text?): try place(text, in: order).bound(after: true)
        case (_?, _?): throw both
        }
    }

    private func limit() throws(RESTError) -> Query.Limit? {
        switch (parameters[.limitToFirst], parameters[.limitToLast]) {
        case (nil, nil): nil
        case (let text?, nil): .first(try Self.count(text, .limitToFirst))
        case (nil, let text?): .last(try Self.count(text, .limitToLast))
        case (_?, _?): throw .bothLimits
        }
    }

    /// A positive whole number; one beyond 64 bits is as good as no limit.
    private static func count(_ text: String, _ name: RESTParameters.Name) throws(RESTError) -> Int {
        let digits = text.utf8.drop { $0 == 0x2d }
        guard !digits.isEmpty, text.utf8.count - digits.count <= 1, digits.allSatisfy(\.isDigit) else {
            throw .noInteger(name)
        }
        let isNegative = digits.count != text.utf8.count
        let value = Int(text) ?? (isNegative ? Int.min : Int.max)
        guard value > 0 else { throw .notPositive(name) }
        return value
    }

    // MARK: Order

    private static func order(_ text: String) throws(RESTError) -> Query.Order {
        guard let primitives = JSONPrimitives(text), primitives.second == nil,
            case .leaf(.string(let name)) = primitives.first
        else { throw .badOrder }
        switch name {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default: break
        }
        // Why it is no path does not matter: the text for all of them is the one that clients know.
        guard let path = try? Path(name), !path.isRoot else { throw .badOrder }
        return .child(path)
    }

    // MARK: Bounds

    /// A value, with or without a key, that a bound stands before or after.
    private struct Place {
        var value: Query.Value
        var key: NamedKey

        enum NamedKey {
            /// No key: a bound stands before or after all children of the value.
            case all
            /// One of the SDKs' two words for "before all keys" and "after all keys".
            case fixed(KeyPosition)
            case one(Key)
        }

        func bound(after: Bool) -> Query.Bound {
            switch key {
            case .all: Query.Bound(value: value, key: after ? .end : .start)
            case .fixed(let position): Query.Bound(value: value, key: position)
            case .one(let key): Query.Bound(value: value, key: after ? .after(key) : .before(key))
            }
        }
    }

    private func place(_ text: String, in order: Query.Order) throws(RESTError) -> Place {
        if order == .key { return try keyPlace(text) }
        guard let primitives = JSONPrimitives(text) else { throw .badBound }
        if order == .priority, case .leaf(.bool) = primitives.first { throw .badPriorityBound }
        guard let second = primitives.second else { return Place(value: primitives.first, key: .all) }
        guard case .leaf(.string(let name)) = second else { throw .badKeyBound }
        return Place(value: primitives.first, key: Self.namedKey(name))
    }

    private func keyPlace(_ text: String) throws(RESTError) -> Place {
        let primitives = JSONPrimitives(text)
        if let primitives, primitives.second == nil, case .leaf(.string(let name)) = primitives.first {
            return Place(value: .null, key: Self.namedKey(name))
        }
        guard parameters[.orderBy] == nil else { throw primitives == nil ? .badBound : .badKeyBound }
        return Place(value: .null, key: Self.namedKey(text))
    }

    private static func namedKey(_ name: String) -> Place.NamedKey {
        switch name {
        case "[MIN_NAME]": return .fixed(.start)
        case "[MAX_NAME]": return .fixed(.end)
        default:
            var name = name
            return .one(name.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) })
        }
    }
}

/// One or two JSON primitives with a comma between.
struct JSONPrimitives: Equatable {
    var first: Query.Value
    var second: Query.Value?

    /// Reads the text as the inside of an array; nil if it is anything else than one or two primitives.
    init?(_ text: String) {
        let bytes = Array("[\(text)]".utf8)
        guard let found = bytes.withUnsafeBytes(Self.read), (1...2).contains(found.count) else { return nil }
        first = found[0]
        second = found.count == 2 ? found[1] : nil
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> [Query.Value]? {
        var reader = JSONReader()
        var values: [Query.Value] = []
        var isOpen = false
        do throws(JSONError) {
            while true {
                switch try reader.next(in: bytes, isFinal: true) {
                case .beginArray where !isOpen: isOpen = true
                case .null: values.append(.null)
                case .bool(let value): values.append(.leaf(.bool(value)))
                case .integer(let value): values.append(.leaf(.integer(value)))
                case .double(let value): values.append(.leaf(Leaf(number: value)))
                case .string(let text): values.append(.leaf(.string(text.string(in: bytes))))
                case .endArray: break
                case .end: return values
                default: return nil
                }
            }
        } catch {
            return nil
        }
    }
}
