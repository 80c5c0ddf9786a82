// A query as an SDK would write it, for clients of our own.
public import HearthCore
import HearthJSON

extension RealtimeQuery {
    /// The object that the JavaScript SDK would write for a query.
    ///
    /// - Precondition: no bound is at an object's value, for which there is no spelling.
    public init(_ query: Query) {
        self.query = query
        var writer = JSONWriter()
        writer.beginObject()
        writer.append(query.lower, of: query.order, names: ("sp", "sn", "sin"), isLower: true)
        writer.append(query.upper, of: query.order, names: ("ep", "en", "ein"), isLower: false)
        writer.append(query.limit)
        writer.append(query.order)
        writer.endObject()
        text = writer.take()
    }
}

extension JSONWriter {
    /// Writes one end as the SDK does: always with whether it is inclusive.
    fileprivate mutating func append(
        _ bound: Query.Bound?, of order: Query.Order, names: (value: String, name: String, inclusive: String),
        isLower: Bool
    ) {
        guard let bound else { return }
        let (name, isInclusive): (String?, Bool) =
            switch bound.key {
            case .start: (isLower && order != .key ? nil : Sentinel.first, isLower)
            case .end: (!isLower && order != .key ? nil : Sentinel.last, !isLower)
            case .before(let key): (key.text, isLower)
            case .after(let key): (key.text, !isLower)
            }
        key(names.value)
        if order == .key {
            string(name ?? "")
        } else {
            append(bound.value)
            if let name {
                key(names.name)
                string(name)
            }
        }
        key(names.inclusive)
        bool(isInclusive)
    }

    private mutating func append(_ value: Query.Value) {
        switch value {
        case .null: null()
        case .leaf(.bool(let value)): bool(value)
        case .leaf(.integer(let value)): integer(value)
        case .leaf(.double(let value)): double(value)
        case .leaf(.string(let value)): string(value)
        case .object: preconditionFailure("no bound of the protocol is at an object")
        }
    }

    fileprivate mutating func append(_ limit: Query.Limit?) {
        guard let limit else { return }
        key("l")
        switch limit {
        case .first(let count), .last(let count): integer(Int64(count))
        }
        key("vf")
        if case .first = limit { string("l") } else { string("r") }
    }

    fileprivate mutating func append(_ order: Query.Order) {
        let name: String
        switch order {
        case .priority: return
        case .key: name = ".key"
        case .value: name = ".value"
        case .child(let path): name = path.keys.map(\.text).joined(separator: "/")
        }
        key("i")
        string(name)
    }
}
