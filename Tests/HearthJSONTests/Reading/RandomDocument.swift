// Random JSON: a value that can be built, written in many ways, and read back by anybody.
import HearthJSON
import HearthTesting

/// A JSON value for comparing readers. Whole doubles are integers, so that `1.0` and `1` are the same; of
/// equal keys the last one wins.
enum Value: Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([Value])
    case object([String: Value])

    init(number: Double) {
        self = Int64(exactly: number).map(Value.integer) ?? .double(number)
    }

    /// Builds the value that `tokens` spell; nil where they end with a fault.
    init?(_ tokens: [Read]) {
        guard tokens.last == .end else { return nil }
        var rest = tokens[...]
        self.init(&rest)
        guard rest == [.end] else { return nil }
    }

    private init(_ rest: inout ArraySlice<Read>) {
        switch rest.removeFirst() {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = Value(number: value)
        case .string(let value): self = .string(value)
        case .beginArray:
            var elements: [Value] = []
            while rest.first != .endArray { elements.append(Value(&rest)) }
            rest.removeFirst()
            self = .array(elements)
        case .beginObject:
            var members: [String: Value] = [:]
            while case .key(let key) = rest.removeFirst() { members[key] = Value(&rest) }
            self = .object(members)
        case let other: preconditionFailure("a value cannot begin with \(other)")
        }
    }

    /// A random value of at most so many levels.
    init(_ random: inout SeededRandom, depth: Int) {
        switch Int.random(in: depth > 0 ? 0..<10 : 4..<10, using: &random) {
        case 0, 1:
            let count = Int.random(in: 0...6, using: &random)
            self = .array((0..<count).map { _ in Value(&random, depth: depth - 1) })
        case 2, 3:
            var members: [String: Value] = [:]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                members[randomString(&random)] = Value(&random, depth: depth - 1)
            }
            self = .object(members)
        case 4: self = .null
        case 5: self = .bool(random.oneIn(2))
        case 6: self = .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
        case 7: self = Value(number: Double(Int.random(in: -10_000_000...10_000_000, using: &random)) / 1024)
        default: self = .string(randomString(&random))
        }
    }

    /// Writes the value with the project's writer.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (key, value) in members {
                writer.key(key)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// Spells the value with random white space and escapes, independently of the project's writer.
    func spelled(_ random: inout SeededRandom) -> String {
        let text =
            switch self {
            case .null: "null"
            case .bool(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .double(let value): "\(value)"
            case .string(let value): quoted(value, &random)
            case .array(let elements):
                "[" + elements.map { $0.spelled(&random) }.joined(separator: ",") + space(&random) + "]"
            case .object(let members):
                "{"
                    + members.map {
                        space(&random) + quoted($0, &random) + space(&random) + ":" + $1.spelled(&random)
                    }
                    .joined(separator: ",") + space(&random) + "}"
            }
        return space(&random) + text + space(&random)
    }
}

private func space(_ random: inout SeededRandom) -> String {
    let spaces = ["", "", "", " ", "\n", "\t", "\r\n", "   \n  "]
    return spaces[Int.random(in: 0..<spaces.count, using: &random)]
}

private func randomString(_ random: inout SeededRandom) -> String {
    let scalars: [Unicode.Scalar] = [
        "\"", "\\", "/", "\n", "\u{1}", "\u{7F}", "\u{E9}", "\u{2028}", "\u{D7FF}", "\u{FFFD}",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...20, using: &random) {
        if random.oneIn(4) {
            text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
        } else if random.oneIn(8) {
            text.unicodeScalars.append("\u{1F642}")
        } else {
            text.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0x61...0x7A, using: &random)))
        }
    }
    return text
}

/// Quotes `text`; what need not be escaped is escaped now and then.
private func quoted(_ text: String, _ random: inout SeededRandom) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || random.oneIn(10) {
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16, uppercase: random.oneIn(2))
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        } else {
            quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
