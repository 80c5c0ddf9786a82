// Server values, filled in.
import HearthCore
import Testing

@Suite("A server value")
struct DraftResolutionTests {
    private func resolved(_ body: String, old: String) throws -> String {
        let draft = try DraftReader.draft(Array(body.utf8))
        return text(draft.resolved(old: try node(old), now: 1_700_000_000_000))
    }

    @Test(
        "increments the number at its very place",
        arguments: [
            ("5", "3", "8"), ("8", "-10", "-2"), ("null", "5", "5"), (#""text""#, "5", "5"),
            ("true", "5", "5"),
            (#"{"a":1}"#, "5", "5"), ("1.5", "0.25", "1.75"), ("1.75", "-0.75", "1"), ("1", "0.5", "1.5"),
            (#"{".value":5,".priority":1}"#, "1", "6"), ("5", "0", "5"),
            ("9223372036854775807", "1", "9223372036854776000"),
            ("-9223372036854775808", "-3000", "-9223372036854778000"),
            ("9223372036854775806", "1", "9223372036854775807"),
            ("1e308", "1e308", "1.7976931348623157e+308"),
        ])
    func increment(old: String, delta: String, new: String) throws {
        #expect(try resolved(#"{".sv":{"increment":\#(delta)}}"#, old: old) == new)
        let below = try resolved(
            #"{"x":{"n":{".sv":{"increment":\#(delta)}}},"y":1}"#, old: #"{"x":{"n":\#(old)}}"#)
        #expect(below == #"{"x":{"n":\#(new)},"y":1}"#)
    }

    @Test(
        "fills in one time everywhere",
        arguments: [
            (#"{".sv":"timestamp"}"#, "1700000000000"),
            (
                #"[{".sv":"timestamp"},{"a":{".sv":"timestamp"}}]"#,
                #"{"0":1700000000000,"1":{"a":1700000000000}}"#
            ),
            (#"{".value":{".sv":"timestamp"},".priority":7}"#, #"{".value":1700000000000,".priority":7}"#),
            (#"{".sv":"timestamp",".priority":7}"#, #"{".value":1700000000000,".priority":7}"#),
            (
                #"{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}}"#,
                #"{".value":1700000000000,".priority":1700000000000}"#
            ),
            (#"{"a":1,".priority":{".sv":"timestamp"}}"#, #"{"a":1,".priority":1700000000000}"#),
            (#"{"a":{".sv":"timestamp"},".priority":"p"}"#, #"{"a":1700000000000,".priority":"p"}"#),
        ])
    func timestamp(body: String, new: String) throws {
        #expect(try resolved(body, old: "null") == new)
    }

    @Test(
        "increments a priority, which is none if it was no number",
        arguments: [
            (#"{"a":1,".priority":5}"#, #"{"a":2,".priority":8}"#),
            (#"{".value":1,".priority":5}"#, #"{"a":2,".priority":8}"#),
            (#"{"a":1,".priority":"p"}"#, #"{"a":2,".priority":3}"#), ("null", #"{"a":2,".priority":3}"#),
        ])
    func priority(old: String, new: String) throws {
        #expect(try resolved(#"{"a":2,".priority":{".sv":{"increment":3}}}"#, old: old) == new)
    }
}
