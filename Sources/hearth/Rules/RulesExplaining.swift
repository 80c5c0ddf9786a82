// `hearth rules explain`: one request judged by rules from a file, and the verdict taken apart.

import HearthCore
import HearthIdentity
import HearthRules
import HearthServer

/// Judges a request that nobody sends.
enum RulesExplaining {
    private static let asUser = Option.value(
        "as", "JSON", "who asks: the variable auth, as {\"uid\":\"ann\"}; null, if not given, is nobody")
    private static let get = Option.value("get", "PATH", "explains a read of PATH")
    private static let put = Option.value("put", "PATH", "explains a write of --value at PATH")
    private static let value = Option.value(
        "value", "JSON", "what --put writes; null, if not given, removes")
    private static let data = Option.value(
        "data", "FILE", "what the database holds, as JSON; nothing if not given")

    static let options = [asUser, get, put, value, data]

    private static let byteLimit = 256 << 20

    /// Prints the explanation.
    ///
    /// - Throws: `toldAlready` if the request is refused.
    static func explain(_ rules: RuleSet, _ invocation: Invocation) throws(CommandFailure) {
        let now = WallClock().milliseconds
        let root = try database(invocation).resolved(old: .empty, now: now)
        let context = JudgingContext(auth: try auth(invocation), now: now, root: root)
        let explanation: Explanation
        switch (invocation.value(of: get), invocation.value(of: put)) {
        case (let place?, nil):
            guard !invocation.has(value) else { throw .misused("--value is what --put writes") }
            explanation = rules.explainRead(at: try path(place, of: get), in: context)
        case (nil, let place?):
            let path = try path(place, of: put)
            let draft = try draft(invocation.value(of: value) ?? "null", at: path, named: value.spelling)
            let edits = [Edit.put(path, draft.resolved(old: root.descendant(at: path), now: now))]
            explanation = rules.explainWrite(edits, leadingTo: root.applying(edits), in: context)
        default: throw .misused("give one of --get PATH and --put PATH")
        }
        try invocation.console.printBytes(Array(explanation.description.utf8))
        guard explanation.isAllowed else { throw .toldAlready }
    }

    private static func auth(_ invocation: Invocation) throws(CommandFailure) -> Auth? {
        do throws(OverrideFault) {
            return try Auth.override(json: Array((invocation.value(of: asUser) ?? "null").utf8))
        } catch {
            throw .misused(
                "--as is the variable auth as JSON, such as {\"uid\":\"ann\"}, or null for nobody")
        }
    }

    private static func database(_ invocation: Invocation) throws(CommandFailure) -> Draft {
        guard let file = invocation.value(of: data) else { return Draft(.empty) }
        return try draft(try SmallFile.read(file, limit: byteLimit), at: .root, named: file)
    }

    private static func draft(
        _ text: String, at path: Path, named name: String
    ) throws(CommandFailure) -> Draft {
        do throws(DraftError) {
            return try DraftReader.draft(Array(text.utf8), at: path)
        } catch {
            throw .misused("\(name) is no value: \(error)")
        }
    }

    private static func path(_ text: String, of option: Option) throws(CommandFailure) -> Path {
        do throws(KeyError) {
            return try Path(text)
        } catch {
            throw .misused("\(option.spelling): '\(text)' is no place in the tree: \(error)")
        }
    }
}
