// orderBy, bounds and limits of a request, and every text that refuses them.

import HearthCore
import HearthWire
import Testing

@Suite("The query of a request")
struct RESTQueryTests {
    static func bound(_ value: Query.Value, _ key: KeyPosition) -> Query.Bound {
        Query.Bound(value: value, key: key)
    }

    static func integer(_ value: Int64) -> Query.Value { .leaf(.integer(value)) }

    static func key(_ text: String) throws -> Key { try Key(text) }

    @Test("is nil without parameters, so that children may read as an array")
    func none() throws {
        #expect(try read(["print": "pretty"]).query == nil)
        #expect(try read(["orderBy": "\"$key\""]).query == Query(order: .key))
    }

    @Test("orders by key, value, priority, a child or a path")
    func orders() throws {
        #expect(try read(["orderBy": "\"$value\""]).query?.order == .value)
        #expect(try read(["orderBy": "\"$priority\""]).query?.order == .priority)
        #expect(try read(["orderBy": "\"len\""]).query?.order == .child(Path("len")))
        #expect(try read(["orderBy": "\"crew/max\""]).query?.order == .child(Path("crew/max")))
        #expect(try read(["orderBy": "\"\\u00e9\""]).query?.order == .child(Path("\u{e9}")))
    }

    @Test("bounds include with At, exclude with After and Before")
    func bounds() throws {
        let at = try #require(try read(["orderBy": "\"n\"", "startAt": "5", "endAt": "\"x\""]).query)
        #expect(at.lower == Self.bound(Self.integer(5), .start))
        #expect(at.upper == Self.bound(.leaf(.string("x")), .end))
        let past = try #require(
            try read(["orderBy": "\"n\"", "startAfter": "2.5", "endBefore": "true"]).query)
        #expect(past.lower == Self.bound(.leaf(.double(2.5)), .end))
        #expect(past.upper == Self.bound(.leaf(.bool(true)), .start))
        let equal = try #require(try read(["orderBy": "\"n\"", "equalTo": "null"]).query)
        #expect(equal.lower == Self.bound(.null, .start))
        #expect(equal.upper == Self.bound(.null, .end))
        #expect(
            try read(["orderBy": "\"n\"", "startAt": " 1e2 "]).query?.lower
                == Self.bound(Self.integer(100), .start))
    }

    @Test("bounds may name a key after a comma")
    func keyedBounds() throws {
        let k = try Self.key("k")
        let at = try #require(
            try read(["orderBy": "\"n\"", "startAt": "3,\"k\"", "endAt": "9, \"k\""]).query)
        #expect(at.lower == Self.bound(Self.integer(3), .before(k)))
        #expect(at.upper == Self.bound(Self.integer(9), .after(k)))
        let past = try #require(
            try read(["orderBy": "\"n\"", "startAfter": "3,\"k\"", "endBefore": "9,\"k\""]).query)
        #expect(past.lower == Self.bound(Self.integer(3), .after(k)))
        #expect(past.upper == Self.bound(Self.integer(9), .before(k)))
        let equal = try #require(try read(["orderBy": "\"n\"", "equalTo": "3,\"k\""]).query)
        #expect(equal.lower == Self.bound(Self.integer(3), .before(k)))
        #expect(equal.upper == Self.bound(Self.integer(3), .after(k)))
        let words = try #require(
            try read(["orderBy": "\"n\"", "startAfter": "3,\"[MAX_NAME]\"", "endBefore": "9,\"[MIN_NAME]\""])
                .query)
        #expect(words.lower == Self.bound(Self.integer(3), .end))
        #expect(words.upper == Self.bound(Self.integer(9), .start))
    }

    @Test("bounds of the order by key are keys, valid ones or not")
    func keys() throws {
        let range = try #require(
            try read(["orderBy": "\"$key\"", "startAt": "\"b\"", "endBefore": "\"b\u{f8ff}\""]).query)
        #expect(range.lower == Self.bound(.null, .before(try Self.key("b"))))
        #expect(range.upper == Self.bound(.null, .before(try Self.key("b\u{f8ff}"))))
        let one = try #require(try read(["orderBy": "\"$key\"", "equalTo": "\"10\""]).query)
        #expect(one.lower == Self.bound(.null, .before(try Self.key("10"))))
        #expect(one.upper == Self.bound(.null, .after(try Self.key("10"))))
        #expect(try read(["orderBy": "\"$key\"", "startAt": "\"a.b\""]).query?.lower != nil)
        #expect(try read(["orderBy": "\"$key\"", "startAt": "\"\""]).query?.lower != nil)
    }

    @Test("limits from either end, and one beyond all numbers is none too many")
    func limits() throws {
        #expect(try read(["orderBy": "\"n\"", "limitToFirst": "2"]).query?.limit == .first(2))
        #expect(try read(["orderBy": "\"n\"", "limitToLast": "0050"]).query?.limit == .last(50))
        let huge = try read(["orderBy": "\"n\"", "limitToLast": "99999999999999999999"]).query?.limit
        #expect(huge == .last(Int.max))
    }

    @Test("of a shallow read needs no order, and takes bare keys")
    func shallow() throws {
        let call = try read(["shallow": "true", "limitToFirst": "2", "startAfter": "-Nb3"])
        #expect(call.query?.order == .key)
        #expect(call.query?.limit == .first(2))
        #expect(call.query?.lower == Self.bound(.null, .after(try Self.key("-Nb3"))))
        let quoted = try read(["shallow": "true", "limitToFirst": "2", "startAfter": "\"-Nb3\""])
        #expect(quoted.query?.lower == call.query?.lower)
        let number = try read(["shallow": "true", "startAt": "12"])
        #expect(number.query?.lower == Self.bound(.null, .before(try Self.key("12"))))
        #expect(try read(["shallow": "true", "orderBy": "\"n\"", "equalTo": "7"]).query?.lower != nil)
    }

    static let primitive = "Constraint index field must be a JSON primitive"
    static let badOrder = "orderBy must be a valid JSON encoded path"
    static let keyType = "Provided key index type is invalid, must be string"

    static let refused: [(KeyValuePairs<String, String>, String)] = [
        (["limitToFirst": "1"], "orderBy must be defined when other query parameters are defined"),
        (["equalTo": "1"], "orderBy must be defined when other query parameters are defined"),
        (["orderBy": "len"], badOrder), (["orderBy": "5"], badOrder), (["orderBy": "null"], badOrder),
        (["orderBy": ""], badOrder), (["orderBy": "\"\""], badOrder), (["orderBy": "\"a.b\""], badOrder),
        (["orderBy": "\"$other\""], badOrder), (["orderBy": "\"a\",\"b\""], badOrder),
        (["orderBy": "\"a"], badOrder),
        (["orderBy": "\"n\"", "startAt": "ketch"], primitive),
        (["orderBy": "\"n\"", "startAt": ""], primitive),
        (["orderBy": "\"n\"", "startAt": "{}"], primitive),
        (["orderBy": "\"n\"", "startAt": "[1]"], primitive),
        (["orderBy": "\"n\"", "startAt": "1],[2"], primitive),
        (["orderBy": "\"n\"", "startAt": "1,\"k\",2"], primitive),
        (["orderBy": "\"n\"", "startAt": "1,"], primitive),
        (["orderBy": "\"n\"", "startAt": "1e999"], primitive),
        (["orderBy": "\"n\"", "startAt": "1,2"], keyType),
        (["orderBy": "\"$key\"", "startAt": "5"], keyType),
        (["orderBy": "\"$key\"", "equalTo": "null"], keyType),
        (["orderBy": "\"$key\"", "startAt": "\"a\",\"b\""], keyType),
        (["orderBy": "\"$key\"", "startAt": "b"], primitive),
        (
            ["orderBy": "\"$priority\"", "startAt": "true"],
            "Constraint index field must be a valid priority: a number, a string or null"
        ),
        (
            ["orderBy": "\"n\"", "limitToFirst": "1", "limitToLast": "1"],
            "Only one of limitToFirst and limitToLast may be specified"
        ),
        (
            ["orderBy": "\"n\"", "startAt": "1", "startAfter": "1"],
            "Only one of startAt and startAfter may be specified"
        ),
        (
            ["orderBy": "\"n\"", "endAt": "1", "endBefore": "1"],
            "Only one of endAt and endBefore may be specified"
        ),
        (
            ["orderBy": "\"n\"", "equalTo": "7", "startAt": "1"],
            "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
        ),
        (
            ["orderBy": "\"n\"", "equalTo": "7", "endBefore": "1"],
            "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
        ),
        (["orderBy": "\"n\"", "limitToFirst": "many"], "limitToFirst must be an integer"),
        (["orderBy": "\"n\"", "limitToLast": "1.5"], "limitToLast must be an integer"),
        (["orderBy": "\"n\"", "limitToLast": ""], "limitToLast must be an integer"),
        (["orderBy": "\"n\"", "limitToLast": "--1"], "limitToLast must be an integer"),
        (["orderBy": "\"n\"", "limitToFirst": "0"], "limitToFirst must be positive"),
        (["orderBy": "\"n\"", "limitToLast": "-3"], "limitToLast must be positive"),
        (["orderBy": "\"n\"", "limitToLast": "-99999999999999999999"], "limitToLast must be positive"),
    ]

    @Test("is refused with the text that clients know", arguments: refused.indices)
    func refuses(index: Int) {
        let (parameters, text) = Self.refused[index]
        #expect(refusal { try read(parameters) } == RESTError(status: 400, text: text))
    }

    @Test("has no place on a write", arguments: ["PUT", "POST", "PATCH", "DELETE"])
    func writes(method: String) {
        let error = refusal { try RESTCall(head("\(method) /a.json?orderBy=%22$key%22")) }
        #expect(
            error
                == RESTError(
                    status: 400, text: "Querying related parameters not supported on this request type"))
    }
}
