// Cases for rules, as they stand in a file.
import HearthCore

/// Cases that are played against the same rules and data.
///
///     {"name": "…", "rules": {…}, "data": {…}, "cases": [
///       {"op": "read|write|update|delete|push", "path": "/rooms/lobby", "auth": null, "newData": …,
///        "query": {…}, "data": …, "allow": true, "why": "…", "expectJson": …, "after": {"/path": …}},
///       {"op": "upload|download|discard", "path": "lobby/cat.png", "auth": null, "allow": true, "why": "…",
///        "request": {"size": 1, "contentType": "image/png"}, "resource": {…}},
///       {"op": "deploy", "rules": {…}, "valid": false, "errorContains": "…", "why": "…"}]}
///
/// `rulesText` may stand for `rules`; both are missing if the rules come from a file of their own. The file
/// holds one group or a list of them, and may have comments. `{"$now": MS}` is the time plus MS.
public struct CaseGroup: Sendable {
    /// What the cases have in common.
    public let name: String
    let rules: [UInt8]?
    let data: RelaxedJSON?
    let cases: [RelaxedJSON]
    private let isTentative: Bool

    /// Reads a file of cases.
    ///
    /// - Throws: `RuleError`, with the place, if it is no such file.
    public static func groups(reading text: [UInt8]) throws(RuleError) -> [CaseGroup] {
        let document: RelaxedJSON
        do throws(RulesTextError) {
            document = try RelaxedJSON(reading: text)
        } catch {
            throw RuleError(error, in: text)
        }
        guard case .list(let elements) = document.content else { return [try CaseGroup(document, in: text)] }
        var groups: [CaseGroup] = []
        for element in elements { groups.append(try CaseGroup(element, in: text)) }
        return groups
    }

    private init(_ value: RelaxedJSON, in text: [UInt8]) throws(RuleError) {
        guard case .list(let cases) = value.member("cases")?.content else {
            throw RuleError("A group has a list 'cases'.", at: value.range, in: text)
        }
        for element in cases where element.member("op")?.string == nil {
            throw RuleError("A case has an 'op'.", at: element.range, in: text)
        }
        name = value.member("name")?.string ?? "unnamed"
        data = value.member("data")
        rules = Self.rulesText(of: value)
        isTentative = value.member("confidence")?.string == "low"
        self.cases = cases
    }

    /// The rules that a group or a deploy case carries; a bare tree is put under its key.
    static func rulesText(of value: RelaxedJSON) -> [UInt8]? {
        if let text = value.member("rulesText")?.string { return Array(text.utf8) }
        guard let rules = value.member("rules") else { return nil }
        let bytes = rules.json(now: 0)
        let isWhole = rules.member("rules") != nil || value.member("wrap")?.word == "false"
        return isWhole ? bytes : Array(#"{"rules":"#.utf8) + bytes + Array("}".utf8)
    }

    /// Plays all cases.
    ///
    /// - Parameters:
    ///   - rules: the rules text for groups that carry none.
    ///   - now: the time in ms since 1970.
    public func play(rules given: [UInt8]? = nil, now: Int64) -> [CaseResult] {
        let text = rules ?? given
        let ruleSet: Result<RuleSet, RuleError> =
            if let text { Self.load(text) } else { .success(.locked) }
        return cases.map { element in
            let isTentative = isTentative || element.member("confidence")?.string == "low"
            let trial = CaseTrial(element, groupData: data, now: now)
            return CaseResult(
                group: name, why: element.member("why")?.string ?? "", request: trial.request,
                isTentative: isTentative, failure: trial.failure(under: ruleSet))
        }
    }

    static func load(_ text: [UInt8]) -> Result<RuleSet, RuleError> {
        do throws(RuleError) {
            return .success(try RuleSet(reading: text))
        } catch {
            return .failure(error)
        }
    }
}

/// What came of one case.
public struct CaseResult: Hashable, Sendable {
    /// The group that it belongs to.
    public let group: String
    /// What it shows.
    public let why: String
    /// The request in short: `write /rooms/lobby as ann`.
    public let request: String
    /// Whether what it expects rests on little.
    public let isTentative: Bool
    /// What was expected and what came, with the explanation of the verdict; nil if they agree.
    public let failure: String?

    /// Whether what came was expected.
    public var isPassed: Bool { failure == nil }
}
