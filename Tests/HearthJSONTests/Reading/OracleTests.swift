// Foundation as a second opinion: on random documents, and on the same documents with something broken.
import Foundation
import HearthJSON
import HearthTesting
import Testing

/// Decodes a value of a type that it may not have.
private func optional<Type: Decodable>(_ container: any SingleValueDecodingContainer, _ type: Type.Type)
    -> Type?
{
    try? container.decode(type)  // another type is no error: the next one is tried
}

extension Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = optional(container, Bool.self) {
            self = .bool(value)
        } else if let value = optional(container, Int64.self) {
            self = .integer(value)
        } else if let value = optional(container, Double.self) {
            self.init(number: value)
        } else if let value = optional(container, String.self) {
            self = .string(value)
        } else if let value = optional(container, [Value].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Value].self))
        }
    }
}

@Suite("A random document")
struct OracleTests {
    @Test("is the same value to Foundation, and the same tokens however it is cut")
    func reading() throws {
        var random = SeededRandom(for: "documents read")
        for round in 0..<200 {
            let value = Value(&random, depth: 4)
            let text = Array(value.spelled(&random).utf8)
            let tokens = read([text])
            #expect(Value(tokens) == value)
            #expect(try JSONDecoder().decode(Value.self, from: Data(text)) == value)
            guard round % 10 == 0 else { continue }
            try verifyChunked(text, yields: tokens, copies: 1, seed: random.next()) { read($0) }
        }
    }

    @Test(
        "is written so that Foundation and the reader find the same value",
        arguments: [JSONLayout.compact, .pretty])
    func writing(layout: JSONLayout) throws {
        var random = SeededRandom(for: "documents written")
        for _ in 0..<200 {
            let value = Value(&random, depth: 4)
            var writer = JSONWriter(layout: layout, escapes: random.oneIn(2) ? .minimal : .scriptSafe)
            value.write(to: &writer)
            #expect(Value(read([writer.bytes])) == value)
            #expect(try JSONDecoder().decode(Value.self, from: Data(writer.bytes)) == value)
        }
    }

    @Test("with one byte changed is taken or refused as Foundation does it")
    func mutations() {
        var random = SeededRandom(for: "documents broken")
        let bytes = Array("{}[]:,\"\\/-+.0123456789eEtrufalsn \n\tx".utf8)
        for _ in 0..<2_000 {
            var text = Array(Value(&random, depth: 2).spelled(&random).utf8)
            let at = Int.random(in: 0..<text.count, using: &random)
            let byte = bytes[Int.random(in: 0..<bytes.count, using: &random)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text[at] = byte
            case 1: text.insert(byte, at: at)
            default: text.remove(at: at)
            }
            if acceptsWrongly(text) || hasEqualKeys(read([text])) { continue }
            let ours = Value(read([text]))
            let theirs = try? JSONDecoder().decode(Value.self, from: Data(text))  // nil: refused
            if ours?.inDoubles != theirs?.inDoubles {
                Issue.record("\(String(decoding: text, as: UTF8.self).debugDescription) is \(theirs as Any)")
            }
        }
    }

    /// Whether the text has a comma before the end of an array or object, which Foundation lets pass.
    private func acceptsWrongly(_ text: [UInt8]) -> Bool {
        switch fault(of: text)?.reason {
        case .unexpected(UInt8(ascii: "]"), expected: .value): true
        case .unexpected(UInt8(ascii: "}"), expected: .key): true
        default: false
        }
    }
}

/// Whether an object has a key twice, of which Foundation takes the first.
private func hasEqualKeys(_ tokens: [Read]) -> Bool {
    var open: [Set<String>] = []
    for token in tokens {
        switch token {
        case .beginObject: open.append([])
        case .endObject: open.removeLast()
        case .key(let key):
            if open[open.count - 1].insert(key).inserted { continue }
            return true
        default: break
        }
    }
    return false
}

extension Value {
    /// The value with its integers rounded to doubles, since Foundation reads `620508528455667e3` as an
    /// integer.
    fileprivate var inDoubles: Value {
        switch self {
        case .integer(let value): .double(Double(value))
        case .array(let elements): .array(elements.map(\.inDoubles))
        case .object(let members): .object(members.mapValues(\.inDoubles))
        case let other: other
        }
    }
}
