// JSON as the cases hold it: independent of the project's own reader, tree and writer.
import Foundation

/// A JSON value; integers are kept apart so that large ones stay exact.
enum JSONValue: Decodable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
            return
        }
        if let value = JSONValue.attempt(Bool.self, container) {
            self = .boolean(value)
        } else if let value = JSONValue.attempt(Int64.self, container) {
            self = .integer(value)
        } else if let value = JSONValue.attempt(Double.self, container) {
            self = .number(value)
        } else if let value = JSONValue.attempt(String.self, container) {
            self = .string(value)
        } else if let value = JSONValue.attempt([JSONValue].self, container) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    private static func attempt<Value: Decodable>(
        _ type: Value.Type, _ container: any SingleValueDecodingContainer
    ) -> Value? {
        // A failure says only that the value is of another kind.
        try? container.decode(type)
    }

    init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integer: Int? {
        guard case .integer(let value) = self else { return nil }
        return Int(value)
    }

    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The members in the order of their names; empty for anything but an object.
    var sortedMembers: [(key: String, value: JSONValue)] {
        (members ?? [:]).sorted { $0.key < $1.key }
    }

    /// Whether both are the same value: 1 is 1.0, the order of members does not matter.
    func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.integer, .number), (.number, .integer), (.number, .number): double == other.double
        case (.string(let left), .string(let right)): Array(left.utf8) == Array(right.utf8)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in right[key].map { value.isSame(as: $0) } ?? false }
        default: false
        }
    }

    /// JSON text, members in the order of their names.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): JSONValue.quoted(value)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object:
            "{" + sortedMembers.map { "\(JSONValue.quoted($0.key)):\($0.value.text)" }.joined(separator: ",")
                + "}"
        }
    }

    /// The beginning of the text, for the report of a failure.
    var short: String { String(text.prefix(600)) }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
