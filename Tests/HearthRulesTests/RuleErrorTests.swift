// Every check of a rules text, its words and its place.
import HearthCore
import HearthRules
import Testing

/// The fault of a text; nil if it is taken.
func fault(in text: String) -> RuleError? {
    do {
        _ = try RuleSet(reading: Array(text.utf8))
        return nil
    } catch {
        return error
    }
}

/// The fault of one expression as a rule of `/rooms/$room`.
func fault(of expression: String, kind: String = ".read") -> RuleError? {
    let escaped = expression.reduce(into: "") { text, character in
        if character == "\\" || character == "\"" { text += "\\" }
        text.append(character)
    }
    return fault(in: "{\"rules\":{\"rooms\":{\"$room\":{\"\(kind)\":\"\(escaped)\"}}}}")
}

@Suite("A rules text")
struct RuleErrorTests {
    @Test(
        "is refused for an expression, with the words that Firebase uses",
        arguments: [
            ("auth.uid", "Expression must evaluate to a boolean."),
            ("1", "Expression must evaluate to a boolean."),
            ("data.val()", "Expression must evaluate to a boolean."),
            ("auth.token.admin", "Expression must evaluate to a boolean."),
            ("'a'", "Expression must evaluate to a boolean."),
            ("auth == null ? 1 : 2", "Expression must evaluate to a boolean."),
            ("data", "Expression must evaluate to a boolean."),
            ("query", "Expression must evaluate to a boolean."),
            ("data.exists", "Expression must evaluate to a boolean."),
            ("auth.uid && true", "Left operand of && must be boolean."),
            ("true && auth.uid", "Right operand of && must be boolean."),
            ("1 || true", "Left operand of || must be boolean."),
            ("true || 1", "Right operand of || must be boolean."),
            ("!auth.uid", "! only operates on booleans."), ("!'a'", "! only operates on booleans."),
            ("foo", "Unknown variable 'foo'."), ("$other == 'x'", "Unknown variable '$other'."),
            ("foo(1)", "Unknown variable 'foo'."),
            ("newData.exists()", "newData is invalid in .read expressions."),
            ("data.foo == 1", "No such method/property 'foo'."),
            ("data.foo()", "No such method/property 'foo'."),
            ("$room.foo == 1", "No such method/property 'foo'."),
            ("data.val().foo == 1", "No such method/property 'foo'."),
            ("query.foo == 1", "No such method/property 'foo'."),
            ("data.contains('a')", "No such method/property 'contains'."),
            ("now.foo == 1", "Invalid property access: target is not an object."),
            ("true.foo", "Invalid property access: target is not an object."),
            ("$room.length() > 1", "Type error: Function call on target that is not a function."),
            ("auth.exists()", "Type error: Function call on target that is not a function."),
            ("auth.uid.val()", "Type error: Function call on target that is not a function."),
            ("data.child()", "child() expects 1 argument."),
            ("data.child('a','b')", "child() expects 1 argument."),
            ("data.exists(1)", "exists() expects no arguments."),
            ("$room.replace('a') == 'b'", "replace() expects two arguments."),
            ("data.child(1).exists()", "child() expects a string argument."),
            ("data.hasChild(null)", "hasChild() expects a string argument."),
            ("$room.contains(null)", "contains() expects a string argument."),
            ("$room.replace('a', 1) == 'b'", "Argument 2 of replace() must be a string."),
            ("$room.replace(1, 'a') == 'b'", "Argument 1 of replace() must be a string."),
            ("$room.matches('a')", "matches() expects a regular expression literal argument."),
            ("$room.matches(/a/g)", "regular expressions do not support flags other than i"),
            ("$room.matches(/[a/)", "unterminated regular expression literal"),
            ("$room.matches(/a", "unterminated regular expression literal"),
            ("$room == /a/", "Unexpected regular expression literal."),
            ("data.hasChildren('a')", "hasChildren() expects an array of child names."),
            (
                "data.hasChildren('a','b')",
                "hasChildren() expects only a single argument (containing an array of child names)."
            ),
            ("data.hasChildren([7])", "hasChildren() expects an array of strings."),
            ("data.hasChildren([[]])", "hasChildren() expects an array of strings."),
            ("['a'] == 'a'", "Unexpected array literal."),
            ("data.child(['a']).exists()", "Unexpected array literal."),
            ("data == null", "Invalid == expression: left operand is not a number, boolean, string, null."),
            ("null === data", "Invalid == expression: right operand is not a number, boolean, string, null."),
            ("root != 1", "Invalid != expression: left operand is not a number, boolean, string, or null."),
            (
                "1 !== query",
                "Invalid != expression: right operand is not a number, boolean, string, or null."
            ),
            ("data > 1", "Invalid > expression: left operand must be a number or string."),
            ("1 <= null", "Invalid <= expression: right operand must be a number or string."),
            ("true + 1 == 2", "Invalid + expression: left operand is not a number or string."),
            ("'a' - 1 > 0", "Invalid - expression: left operand is not a number."),
            ("1 % 'a' > 0", "Invalid % expression: right operand is not a number."),
            ("-'a' == 1", "- only operates on numbers."),
            ("auth.uid = 'x'", "Rule expressions may not contain assignments."),
            ("auth.uid += 'x'", "Rule expressions may not contain assignments."),
            ("true & false", "Rule expressions may not contain operator &."),
            ("true | false", "Rule expressions may not contain operator |."),
            ("2 ** 3 == 8", "Rule expressions may not contain operator **."),
            ("~1 == 2", "Rule expressions may not contain operator ~."),
            ("typeof auth == 'x'", "Rule expressions may not contain operator typeof."),
            ("'a' in auth", "Rule expressions may not contain operator in."),
            ("true ? data : 1", "Invalid ?: expression: both results must be values, or snapshots."),
            ("1 ? true : false", "Condition of ?: must be boolean."),
            ("data[$room] == 1", "Invalid property access: only members of auth may be computed."),
            ("auth[true] == 1", "Invalid property access: the name is not a string."),
            ("true; true", "Parse error. Unexpected ';': a rule is one expression."),
            ("true &&", "Parse error. The expression ends too early. Expected a value."),
            ("(true", "Parse error. The expression ends too early. Expected ')'."),
            ("true true", "Parse error. An operator is missing before this."),
            ("", "Parse error. The expression is empty."), ("  ", "Parse error. The expression is empty."),
            ("'a", "unterminated string literal"), ("1x == 1", "Parse error. This is no number."),
            ("#", "Parse error. This character has no meaning here."),
            ("1e999 == 1", "Parse error. This is no number."),
            ("request.size > 1", "Unknown variable 'request'."),
        ])
    func expressions(expression: String, message: String) {
        #expect(fault(of: expression)?.message == message)
    }

    @Test(
        "is taken, although one may doubt it",
        arguments: [
            "auth.foo == 1", "auth.uid + 1 > 'x'", "data.hasChildren([])", "data.val() + 1 == 2",
            "$room == auth.uid",
            "auth['uid'] == 'a' && auth.token['admin'] == true", "auth.foo[$room] == 1", "root['exists']()",
            "data.val()['contains']('on')", "auth.uid.matches(/a/i)", "(auth != null ? data : root).exists()",
            "auth.token.firebase.identities['google.com'][0] == '1'", ".5 < 1. && 1e3 > 2", "- -1 == 1",
            "'\\x41\\u00e4\\n' == \"'\"", "query.limitToFirst <= 10", "data.hasChildren([$room, 'a' + 1])",
        ])
    func taken(expression: String) {
        #expect(fault(of: expression) == nil)
        #expect(fault(of: expression, kind: ".write") == nil)
    }

    @Test(
        "is refused for its structure, by line and column",
        arguments: [
            ("nonsense", "1:1: Parse error. Expected a value."), ("[]", "1:1: Expected '{'."),
            ("{}", "1:1: No 'rules' object: the document is {\"rules\": {…}}."),
            ("{\"rules\": {}, \"rule\": {}}", "1:15: Unknown key 'rule': the document is {\"rules\": {…}}."),
            ("{\"rules\": \"x\"}", "1:11: Expected '{'."), ("{\"rules\": null}", "1:11: Expected '{'."),
            ("{\"rules\": {\"a\": null}}", "1:17: Expected '{'."),
            ("{\"rules\":{\n\"a\": true}}", "2:6: Expected '{'."),
            ("{\"rules\": {\".valdiate\": \"true\"}}", "1:25: Expected '{'."),
            (
                "{\"rules\": {\".read\": 1}}",
                "1:21: Invalid rule expression.  Expected 'true', 'false', or an expression string."
            ),
            (
                "{\"rules\": {\".write\": {}}}",
                "1:22: Invalid rule expression.  Expected 'true', 'false', or an expression string."
            ),
            (
                "{\"rules\": {\".indexOn\": 1}}",
                "1:24: Invalid indexOn expression. Must be either a string or an array of strings"
            ),
            (
                "{\"rules\": {\".indexOn\": [\"a\", 1]}}",
                "1:30: Invalid indexOn expression. Must be either a string or an array of strings"
            ),
            (
                "{\"rules\": {\"$x\": {}, \"$y\": {}}}",
                "1:22: Cannot have multiple default rules ('$x' and '$y')."
            ),
            (
                "{\"rules\": {\"$x\": {\"a\": {\"$x\": {}}}}}",
                "1:25: Variable '$x' is already captured above."
            ),
            (
                "{\"rules\": {\"a#b\": {}}}",
                "1:12: String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""
            ),
            (
                "{\"rules\": {\"a/b\": {}}}",
                "1:12: String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""
            ),
            (
                "{\"rules\": {\".foo\": {}}}",
                "1:12: String can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\""
            ),
            ("{\"rules\": {\"a\": {}, \"a\": {}}}", "1:21: Duplicate key 'a'."),
            ("{\"rules\": {\"p\": {\".read\": \"true\",,}}}", "1:34: Unexpected ','."),
        ])
    func structure(text: String, message: String) {
        #expect(fault(in: text)?.description == message)
    }

    @Test("names the place within an expression of several lines, escapes counted as they are written")
    func places() throws {
        let text = "{\n  \"rules\": {\n    \".read\": \"'\\u00e4\\\"' == 'x' &&\n\t  auht != null\"\n  }\n}"
        let found = fault(in: text)
        let fault = try #require(found)
        #expect(fault.description == "4:4: Unknown variable 'auht'.")
        #expect(fault.suggestion == "auth")
        let other = HearthRulesTests.fault(in: "{\"rules\":{\".read\":\"'\\u00e4ä\\\"' == auht\"}}")
        let sameLine = try #require(other)
        #expect(sameLine.column == 35)
    }

    @Test("is shown with the fault underlined and with what may have been meant")
    func shown() throws {
        let text = "{\"rules\": {\n  \"rooms\": {\n    \".write\": \"newData.exists() && auht != null\"\n}}}"
        #expect(
            fault(in: text)?.text(naming: "rules.json") == """
                rules.json:3:36: Unknown variable 'auht'.
                    ".write": "newData.exists() && auht != null"
                                                   ^~~~
                did you mean 'auth'?

                """)
        let long = "{\"rules\": {\".read\": \"\(String(repeating: "true && ", count: 100))nodw > 1\"}}"
        let found = fault(in: long)
        let fault = try #require(found)
        #expect(fault.excerpt.count < 170)
        #expect(Array(fault.excerpt)[fault.mark].elementsEqual("nodw"))
        #expect(fault.suggestion == "now")
    }

    @Test(
        "suggests what is near",
        arguments: [
            ("data.exist()", "exists"), ("newDta.exists()", "newData"), ("$rom == 'a'", "$room"),
            ("$room.beginWith('a')", "beginsWith"), ("query.limitToFrist < 1", "limitToFirst"),
        ])
    func suggestions(expression: String, name: String) {
        #expect(fault(of: expression, kind: ".write")?.suggestion == name)
    }

    @Test("suggests the rule that a dotted key misspells, and nothing for what is far from all")
    func keySuggestions() {
        #expect(fault(in: "{\"rules\": {\".valdiate\": \"true\"}}")?.suggestion == ".validate")
        #expect(fault(of: "elephant == 1")?.suggestion == nil)
    }

    @Test(
        "is refused when nested without end, instead of exhausting the stack",
        arguments: [
            String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000) + "true",
            String(repeating: "-", count: 1) + String(repeating: " -", count: 100_000) + "1 == 1",
            String(repeating: "true ? true : ", count: 100_000) + "true",
            "1" + String(repeating: " + 1", count: 100_000) + " == 1",
            "data" + String(repeating: ".parent()", count: 100_000) + ".exists()",
            "auth" + String(repeating: "[auth", count: 100_000),
        ])
    func nesting(expression: String) {
        #expect(fault(of: expression)?.message.contains("nested deeper") == true)
    }

    @Test("may join many conditions")
    func manyConditions() {
        #expect(fault(of: String(repeating: "auth.uid == 'x' || ", count: 5_000) + "false") == nil)
    }

    @Test("is refused when its regular expressions together are too large")
    func manyPatterns() {
        let expression = Array(repeating: "$room.matches(/a{4000}/)", count: 30).joined(separator: " || ")
        #expect(fault(of: expression)?.message.contains("too large") == true)
    }

    @Test("keeps `$x` out of sight where it was not captured")
    func captures() {
        let text = "{\"rules\": {\"a\": {\"$x\": {}}, \"b\": {\".read\": \"$x == 'a'\"}}}"
        #expect(fault(in: text)?.message == "Unknown variable '$x'.")
    }

    @Test("tells its indexes and its rules")
    func contents() throws {
        let text = """
            {"rules": {".read": true, "rooms": {".indexOn": "time",
              "$room": {".write": "auth != null", ".validate": false}}}}
            """
        let rules = try RuleSet(reading: Array(text.utf8))
        #expect(try rules.indexes(at: Path("/rooms")) == [.child(Path("time"))])
        #expect(
            rules.references.map { "\($0.kind.rawValue) \($0.place) \($0.line):\($0.column)" } == [
                ".read / 1:21", ".write /rooms/$room 2:23", ".validate /rooms/$room 2:52",
            ])
    }
}
