// JSON values as a plain nested dictionary: slow, obvious, and no code of the server's.

/// A JSON value without arrays and null members.
enum Value: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case text(String)
    case object([String: Value])

    /// What stands at a path; null where nothing does.
    subscript(path: ArraySlice<String>) -> Value {
        guard let first = path.first else { return self }
        guard case .object(let members) = self else { return .null }
        return members[first]?[path.dropFirst()] ?? .null
    }

    subscript(path: [String]) -> Value { self[path[...]] }

    /// The value with another one put at a path; what becomes empty is gone.
    func setting(_ value: Value, at path: ArraySlice<String>) -> Value {
        guard let first = path.first else { return value }
        var members = children
        let child = (members[first] ?? .null).setting(value, at: path.dropFirst())
        members[first] = child == .null ? nil : child
        return members.isEmpty ? .null : .object(members)
    }

    /// The members of an object; none of another value.
    var children: [String: Value] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// Compact JSON, members by name.
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.json)" }
                .joined(separator: ",") + "}"
        }
    }

    /// The beginning of the JSON, for messages.
    var summary: String {
        let json = json
        return json.count > 200 ? json.prefix(200) + "… (\(json.count) characters)" : json
    }

    /// Reads JSON of the kind that the simulation writes; nil for anything else.
    init?(json: [UInt8]) {
        var reader = ValueReader(bytes: json)
        guard let value = reader.value(), reader.isAtEnd else { return nil }
        self = value
    }
}

/// Reads the JSON that the server sends about values of ours: no arrays, no fractions, no escapes but `\/`.
private struct ValueReader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func value() -> Value? {
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: Value) -> Value? {
        let end = index + text.utf8CodeUnitCount
        guard end <= bytes.count, "\(text)".utf8.elementsEqual(bytes[index..<end]) else { return nil }
        index = end
        return value
    }

    private mutating func number() -> Value? {
        let start = index
        while index < bytes.count, bytes[index] == 0x2D || (0x30...0x39).contains(bytes[index]) { index += 1 }
        return Int(String(decoding: bytes[start..<index], as: UTF8.self)).map { .number($0) }
    }

    private mutating func text() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] != UInt8(ascii: "\\") else { return nil }
            index += 1
        }
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func object() -> Value? {
        index += 1
        var members: [String: Value] = [:]
        if take(UInt8(ascii: "}")) { return .null }
        while let name = text(), take(UInt8(ascii: ":")), let value = value() {
            members[name] = value
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    /// Lists come as objects whose names are the places: `#0`, `#1` …
    private mutating func array() -> Value? {
        index += 1
        var members: [String: Value] = [:]
        if take(UInt8(ascii: "]")) { return .object([:]) }
        while let value = value() {
            members["#\(members.count)"] = value
            if take(UInt8(ascii: "]")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }
}

extension Value {
    /// A member of an object, null if there is none.
    subscript(member: String) -> Value { children[member] ?? .null }

    /// The items of a list that was read.
    var items: [Value] { (0..<children.count).map { self["#\($0)"] } }

    /// The text that it is, nil if it is none.
    var string: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

/// A path as it stands in an address.
func address(_ path: [String]) -> String {
    "/" + path.joined(separator: "/")
}
