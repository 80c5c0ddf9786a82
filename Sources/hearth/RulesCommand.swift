// `hearth rules`: checks, tests and explains rules from files, and shows or sets those of a server.

import HearthClient
import HearthCore
import HearthRules
import HearthServer
import HearthWire

/// The security rules.
enum RulesCommand {
    static let command = Command(
        name: "rules", summary: "checks, tests, explains, shows or sets security rules",
        operands: [
            .required("ACTION", "check, test, explain, get or set"),
            .optional("FILE", "the rules; - reads standard input"),
            .optional("CASES", "what 'test' plays: a file like rules/fire3chat/cases.json"),
        ],
        options: RulesExplaining.options + ServerOptions.all,
        notes: [
            "check, test and explain need no server. 'check' shows where a fault is; 'test' prints one "
                + "line a case and fails if one did; 'explain' takes a verdict apart and fails if it is a "
                + "refusal. 'get' and 'set' need the administrator's token."
        ],
        examples: [
            "hearth rules check rules/fire3chat/rules.json",
            "hearth rules test rules/fire3chat/rules.json rules/fire3chat/cases.json",
            "hearth rules explain rules/fire3chat/rules.json --as null --get /messages",
            "hearth rules set rules/fire3chat/rules.json --admin-from hearth-data",
        ], run: run)

    private static let actions = ["check", "test", "explain", "get", "set"]
    private static let address = RequestTarget(path: "/.settings/rules.json", query: [])
    private static let byteLimit = 16 << 20

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        switch (invocation.requiredOperand(0), invocation.operand(1), invocation.operand(2)) {
        case ("get", nil, nil): try get(invocation)
        case ("check", let file?, nil): try check(file, invocation)
        case ("explain", let file?, nil): try RulesExplaining.explain(try rules(file, invocation), invocation)
        case ("set", let file?, nil): try set(file, invocation)
        case ("test", let file?, let cases?): try test(file, cases, invocation)
        case (let action, _, _):
            guard actions.contains(action) else {
                let near = Suggestion.nearest(to: action, among: actions)
                throw .misused(
                    "unknown action '\(action)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
                        + "; usage: \(command.usage)")
            }
            throw .misused("'\(action)' takes other operands; 'hearth help rules' shows them")
        }
    }

    /// Reads a rules file; a fault is shown with its place.
    private static func rules(_ file: String, _ invocation: Invocation) throws(CommandFailure) -> RuleSet {
        let text = try SmallFile.read(file, limit: byteLimit)
        do throws(RuleError) {
            return try RuleSet(reading: Array(text.utf8))
        } catch {
            invocation.console.tellWithoutLineEnd(error.text(naming: file))
            throw .toldAlready
        }
    }

    private static func check(_ file: String, _ invocation: Invocation) throws(CommandFailure) {
        let rules = try rules(file, invocation)
        invocation.console.tell("\(file) is sound: \(Quantities.count(rules.references.count, "rule"))")
    }

    private static func test(
        _ file: String, _ cases: String, _ invocation: Invocation
    ) throws(CommandFailure) {
        let rules = try rules(file, invocation)
        let text = try SmallFile.read(cases, limit: byteLimit)
        let groups: [CaseGroup]
        do throws(RuleError) {
            groups = try CaseGroup.groups(reading: Array(text.utf8))
        } catch {
            invocation.console.tellWithoutLineEnd(error.text(naming: cases))
            throw .toldAlready
        }
        let now = WallClock().milliseconds
        var counts = (passed: 0, failed: 0)
        for group in groups {
            for result in group.play(rules: rules.text, now: now) {
                try invocation.console.print(line(result))
                if result.isPassed { counts.passed += 1 } else { counts.failed += 1 }
            }
        }
        try invocation.console.print("\(counts.passed) passed, \(counts.failed) failed")
        guard counts.failed == 0 else { throw .toldAlready }
    }

    /// `pass` or `FAIL`, the request, and why; below it what came instead, indented.
    private static func line(_ result: CaseResult) -> String {
        let head = "\(result.isPassed ? "pass" : "FAIL")  \(result.request): \(result.why)"
        guard let failure = result.failure else { return head }
        return head
            + failure.split(separator: "\n").map { "\n      \($0)" }.joined()
    }

    private static func get(_ invocation: Invocation) throws(CommandFailure) {
        let text = try ServerOptions.client(invocation).text(ClientRequest(.get, address))
        try invocation.console.printBytes(Array(text.utf8) + (text.hasSuffix("\n") ? [] : [0x0A]))
    }

    /// The text is sent as it stands, comments included; a fault is shown here, with its place.
    private static func set(_ file: String, _ invocation: Invocation) throws(CommandFailure) {
        let text = try rules(file, invocation).text
        let client = try ServerOptions.client(invocation)
        _ = try client.ask(ClientRequest(.put, address, body: .bytes(text)))
        invocation.console.tell("the rules are in force")
    }
}
