// Large values are written down in the cases as what generates them.

extension JSONValue {
    /// The value with its generators carried out.
    ///
    ///     {"$repeat": ["ab", 3]}                  "ababab"
    ///     {"$each": ["c", 2, {"i": "$c"}]}        {"c0": {"i": 0}, "c1": {"i": 1}}
    ///     {"$each": ["c", 2, 7, 4]}               {"c0000": 7, "c0001": 7}
    ///
    /// Inside the third operand of `$each`, also of further ones in it, the string `"$c"` is the number.
    func generated(_ numbers: [String: Int64] = [:]) -> JSONValue {
        switch self {
        case .string(let text):
            guard text.hasPrefix("$"), let number = numbers[String(text.dropFirst())] else { return self }
            return .integer(number)
        case .array(let elements): return .array(elements.map { $0.generated(numbers) })
        case .object(let members):
            guard members.count == 1, let (name, operands) = members.first, let list = operands.elements
            else {
                return .object(members.mapValues { $0.generated(numbers) })
            }
            switch name {
            case "$repeat": return JSONValue.repeated(list) ?? self
            case "$each": return JSONValue.each(list, numbers) ?? self
            default: return .object(members.mapValues { $0.generated(numbers) })
            }
        default: return self
        }
    }

    private static func repeated(_ operands: [JSONValue]) -> JSONValue? {
        guard operands.count == 2, let text = operands[0].string, let count = operands[1].integer else {
            return nil
        }
        return .string(String(repeating: text, count: count))
    }

    private static func each(_ operands: [JSONValue], _ numbers: [String: Int64]) -> JSONValue? {
        guard operands.count >= 3, let name = operands[0].string, let count = operands[1].integer else {
            return nil
        }
        let width = operands.count > 3 ? operands[3].integer ?? 1 : 1
        let children = (0..<count).map { index in
            let digits = String(index)
            let zeros = String(repeating: "0", count: max(0, width - digits.count))
            return (
                name + zeros + digits,
                operands[2].generated(numbers.merging([name: Int64(index)]) { $1 })
            )
        }
        return .object(Dictionary(children) { $1 })
    }

    /// The value with `{"$now": n}` replaced by the clock's milliseconds plus n.
    func settled(now: Int64) -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.settled(now: now) })
        case .object(let members):
            if members.count == 1, let offset = members["$now"]?.integer {
                return .integer(now + Int64(offset))
            }
            return .object(members.mapValues { $0.settled(now: now) })
        default: return self
        }
    }

    /// The value with `${name}` replaced in every string and key; a string that is nothing else takes the
    /// saved value's type.
    func filled(with saved: [String: JSONValue]) -> JSONValue {
        switch self {
        case .string(let text):
            if text.hasPrefix("${"), text.hasSuffix("}"),
                let value = saved[String(text.dropFirst(2).dropLast())]
            {
                return value
            }
            return .string(JSONValue.fill(text, with: saved))
        case .array(let elements): return .array(elements.map { $0.filled(with: saved) })
        case .object(let members):
            let filled = members.map { (JSONValue.fill($0.key, with: saved), $0.value.filled(with: saved)) }
            return .object(Dictionary(filled) { $1 })
        default: return self
        }
    }

    private static func fill(_ text: String, with saved: [String: JSONValue]) -> String {
        guard text.contains("${") else { return text }
        return saved.reduce(text) { text, variable in
            text.split(separator: "${\(variable.key)}", omittingEmptySubsequences: false)
                .joined(separator: variable.value.string ?? variable.value.text)
        }
    }
}
