// Fuzzes the rules loader, the expression parser and one evaluation of what they let through.
import HearthCore
import HearthRules

/// The first byte says whether the rest is a whole document or one expression of each kind of rule.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    let text = form & 1 == 0 ? Array(input.dropFirst()) : RulesFuzz.document(around: input.dropFirst())
    do throws(RuleError) {
        RulesFuzz.judge(by: try RuleSet(reading: text))
    } catch {
        // The place of a fault lies within what is shown of the text, or right behind it.
        precondition(error.line > 0 && error.column > 0)
        precondition(error.mark.upperBound <= error.excerpt.count + 1)
        precondition(!error.text(naming: "rules.json").isEmpty)
    }
}

enum RulesFuzz {
    private static let now: Int64 = 1_750_000_000_000
    private static let steps = 20_000
    private static let room = "/rooms/lobby/messages/-NsXSKGSFjw70wWSNwwm"

    private static let before = tree(
        """
        {"rooms": {"lobby": {"topic": "Fires", "count": 2, "open": true, "messages": {
          "-NsXSKGSFjw70wWSNwwm": {".priority": 3, "from": "ann", "text": "hi", "time": 1749999999999}}}},
         "members": {"lobby": {"ann": "writer", "bob": "reader"}}}
        """)
    private static let written = tree(#"{"from": "ann", "text": "Good morning!", "time": 1750000000000}"#)
    private static let ann = Auth(
        uid: "ann", provider: "password",
        token: ["level": .leaf(.integer(3)), "rooms": .list([.leaf(.string("lobby"))])])

    private static func tree(_ json: String) -> Node {
        do throws(DraftError) {
            return try DraftReader.draft(Array(json.utf8)).node
        } catch {
            preconditionFailure("the fuzzer's own data is JSON: \(error)")
        }
    }

    private static func path(_ text: String) -> Path {
        do throws(KeyError) {
            return try Path(text)
        } catch {
            preconditionFailure("the fuzzer's own paths are sound: \(error)")
        }
    }

    /// A document that has the expression wherever one may stand, written as a JSON string.
    static func document(around expression: ArraySlice<UInt8>) -> [UInt8] {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in expression {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "\""))
        var text = Array(#"{"rules": {"rooms": {"$room": {".read": "#.utf8) + quoted
        text += Array(#", "messages": {"$message": {".write": "#.utf8) + quoted
        text += Array(#", "text": {".validate": "#.utf8) + quoted
        return text + Array("}}}}}}}".utf8)
    }

    /// Judges a read, a query and a write; what explains must come to the same, and nothing may take more
    /// steps than it is given.
    static func judge(by rules: RuleSet) {
        let limits = JudgingLimits(stepsPerRule: steps, stepsPerRequest: 10 * steps)
        for auth in [nil, ann] {
            let context = JudgingContext(
                auth: auth, now: now, root: before, records: [.reads, .evaluations], limits: limits)
            read(by: rules, query: nil, context)
            read(by: rules, query: Query(order: .key, limit: .last(100)), context)
            write(by: rules, context)
        }
    }

    private static func read(by rules: RuleSet, query: Query?, _ context: JudgingContext) {
        let place = path("/rooms/lobby/messages")
        let verdict = rules.judgeRead(at: place, query: query, in: context)
        let explanation = rules.explainRead(at: place, query: query, in: context)
        precondition(verdict.isAllowed == explanation.isAllowed)
        precondition(!explanation.description.isEmpty)
        precondition(!verdict.reads.differs(from: context.root, to: context.root))
    }

    private static func write(by rules: RuleSet, _ context: JudgingContext) {
        for node in [written, .empty] {
            let edits = [Edit.put(path(room), node)]
            let after = context.root.applying(edits)
            let verdict = rules.judgeWrite(edits, leadingTo: after, in: context)
            let explanation = rules.explainWrite(edits, leadingTo: after, in: context)
            precondition(verdict.isAllowed == explanation.isAllowed)
        }
    }
}
