// The members of a query object, read one by one and then put together.
import HearthCore
import HearthJSON

/// The members of an object, read but not yet put together.
struct RealtimeQueryMembers {
    /// One end, as it is written.
    struct End {
        var value: Query.Value?
        var name: String?
        var isInclusive = true
    }

    var order = Query.Order.priority
    var start = End()
    var end = End()
    var limit: Int?
    var isFromLeft: Bool?

    static func read(_ text: UnsafeRawBufferPointer) -> Result<RealtimeQueryMembers, RealtimeQueryError> {
        var reader = JSONReader()
        do throws(RealtimeQueryError) {
            return .success(try read(&reader, text))
        } catch {
            return .failure(error)
        }
    }

    private static func read(
        _ reader: inout JSONReader, _ text: UnsafeRawBufferPointer
    ) throws(RealtimeQueryError) -> RealtimeQueryMembers {
        var members = RealtimeQueryMembers()
        guard try reader.token(in: text) == .beginObject else { throw .notAnObject }
        while case .key(let name) = try reader.token(in: text) {
            try members.take(name.string(in: text), try reader.value(in: text))
        }
        guard try reader.token(in: text) == .end else { throw .notAnObject }
        return members
    }

    private mutating func take(_ member: String, _ value: Query.Value) throws(RealtimeQueryError) {
        switch (member, value) {
        case ("i", .leaf(.string(let name))): order = try RealtimeQueryMembers.order(name)
        case ("sp", .null), ("sp", .leaf): start.value = value
        case ("ep", .null), ("ep", .leaf): end.value = value
        case ("sn", .leaf(.string(let name))): start.name = try RealtimeQueryMembers.name(name, of: member)
        case ("en", .leaf(.string(let name))): end.name = try RealtimeQueryMembers.name(name, of: member)
        case ("sn", .null), ("en", .null): break
        case ("sin", .leaf(.bool(let isInclusive))): start.isInclusive = isInclusive
        case ("ein", .leaf(.bool(let isInclusive))): end.isInclusive = isInclusive
        case ("l", .leaf(.integer(let count))) where count > 0: limit = Int(count)
        case ("vf", .leaf(.string("l"))): isFromLeft = true
        case ("vf", .leaf(.string("r"))): isFromLeft = false
        case (let known, _) where RealtimeQueryMembers.names.contains(known): throw .invalid(member: known)
        default: break
        }
    }

    private static let names: Set<String> = ["i", "sp", "sn", "sin", "ep", "en", "ein", "l", "vf"]

    private static func order(_ name: String) throws(RealtimeQueryError) -> Query.Order {
        switch name {
        case ".key": return .key
        case ".value": return .value
        case ".priority": return .priority
        default: break
        }
        do throws(KeyError) {
            let path = try Path(name)
            if !path.isRoot { return .child(path) }
        } catch {
            // The reason is told for all of them together: the member's text names what is allowed.
        }
        throw .invalid(member: "i")
    }

    static func name(_ text: String, of member: String) throws(RealtimeQueryError) -> String {
        guard text.utf16.count <= RealtimeQuery.nameLimit else { throw .invalid(member: member) }
        return text
    }

    func query() throws(RealtimeQueryError) -> Query {
        var query = Query(order: order)
        query.lower = try start.bound(isLower: true, order: order)
        query.upper = try end.bound(isLower: false, order: order)
        if let limit {
            // Without a word about it, a limit keeps to the start if there is one.
            query.limit = isFromLeft ?? (query.lower != nil) ? .first(limit) : .last(limit)
        }
        return query
    }
}

extension RealtimeQueryMembers.End {
    /// The bound between places that this end is. The pair of value and name is itself in if the end is
    /// inclusive; a lower end without a name stands before all names, an upper one after them.
    func bound(isLower: Bool, order: Query.Order) throws(RealtimeQueryError) -> Query.Bound? {
        guard let value else {
            guard name == nil else { throw .nameWithoutValue(member: isLower ? "sn" : "en") }
            return nil
        }
        if order == .key {
            guard case .leaf(.string(let key)) = value else { throw .invalid(member: isLower ? "sp" : "ep") }
            let name = try RealtimeQueryMembers.name(key, of: isLower ? "sp" : "ep")
            return Query.Bound(value: .null, key: position(name, isLower: isLower))
        }
        guard let name else { return Query.Bound(value: value, key: isLower ? .start : .end) }
        return Query.Bound(value: value, key: position(name, isLower: isLower))
    }

    private func position(_ name: String, isLower: Bool) -> KeyPosition {
        switch name {
        case Sentinel.first, "[MIN_KEY]": return .start
        case Sentinel.last, "[MAX_KEY]": return .end
        default:
            var name = name
            let key = name.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
            return isLower == isInclusive ? .before(key) : .after(key)
        }
    }
}

extension JSONReader {
    fileprivate mutating func token(
        in text: UnsafeRawBufferPointer
    ) throws(RealtimeQueryError) -> JSONToken {
        do throws(JSONError) {
            return try next(in: text, isFinal: true)
        } catch {
            throw .json(error.reason)
        }
    }

    /// The next value; `object` for anything that is no primitive.
    fileprivate mutating func value(
        in text: UnsafeRawBufferPointer
    ) throws(RealtimeQueryError) -> Query.Value {
        let outer = depth
        let value: Query.Value =
            switch try token(in: text) {
            case .null: .null
            case .bool(let value): .leaf(.bool(value))
            case .integer(let value): .leaf(.integer(value))
            case .double(let value): .leaf(Leaf(number: value))
            case .string(let value): .leaf(.string(value.string(in: text)))
            default: .object
            }
        while depth > outer { _ = try token(in: text) }
        return value
    }
}
