// An explanation for people, and for programs.
public import HearthCore

extension Explanation: CustomStringConvertible {
    /// Lines that end with LF: the verdict with its reason, then each rule, its parts indented.
    public var description: String {
        var text = summary + "\n"
        for report in rules {
            text += "\(report.title): \(report.outcome)\n    \(report.expression.onOneLine)\n"
            for part in report.parts {
                let sign = part.isFailure ? "fails:" : "is"
                text += "        \(part.expression.onOneLine)  \(sign) \(part.value)\n"
            }
        }
        return text
    }

    /// The verdict and its reason in one line.
    public var summary: String {
        guard let denial else { return "allowed: \(asked)" }
        guard let rule = denial.rule else {
            return "refused: \(asked): no \(kind) rule stands on the way, and without one nothing is allowed"
        }
        let outcome = denial.failure ?? "it is false"
        if rule.kind == .validate {
            return "refused: \(asked): \(rule.title) is not satisfied at \(denial.path): \(outcome)"
        }
        return "refused: \(asked): no \(kind) rule on the way to \(denial.path) is true; "
            + "the last one is \(rule.title): \(outcome)"
    }

    private var kind: String {
        if case .read = request { return ".read" }
        return ".write"
    }

    private var asked: String {
        switch request {
        case .read(let path): "read of \(path)"
        case .write(let paths): "write of " + paths.map(\.description).joined(separator: ", ")
        }
    }

    /// The explanation as a tree, to be written as JSON: `allowed`, `summary`, and `rules`, a list of
    /// `{rule, place, location, line, column, expression, outcome, failure, parts: [{expression, value}]}`.
    public var node: Node {
        var builder = Node.Builder()
        builder.insert(Node(.bool(isAllowed)), named: "allowed")
        builder.insert(Node(.string(summary)), named: "summary")
        builder.insert(Node(list: rules.map(\.node)), named: "rules")
        return builder.finish()
    }
}

extension RuleReference {
    /// The rule with its place in the tree and in the text.
    public var title: String { "\(kind.rawValue) of \(place) (line \(line))" }
}

extension Evaluation.Outcome: CustomStringConvertible {
    /// True, false, or why there is neither.
    public var description: String {
        switch self {
        case .satisfied: "true"
        case .unsatisfied: "false"
        case .failed(let reason): "not true, since \(reason)"
        }
    }
}

extension Explanation.RuleReport {
    fileprivate var title: String { "\(rule.title) at \(location)" }

    fileprivate var node: Node {
        var builder = Node.Builder()
        builder.insert(Node(.string(rule.kind.rawValue)), named: "rule")
        builder.insert(Node(.string(rule.place)), named: "place")
        builder.insert(Node(.string(location)), named: "location")
        builder.insert(Node(.integer(Int64(rule.line))), named: "line")
        builder.insert(Node(.integer(Int64(rule.column))), named: "column")
        builder.insert(Node(.string(expression)), named: "expression")
        builder.insert(Node(.bool(outcome == .satisfied)), named: "outcome")
        if let failure = outcome.failure { builder.insert(Node(.string(failure)), named: "failure") }
        builder.insert(Node(list: parts.map(\.node)), named: "parts")
        return builder.finish()
    }
}

extension Explanation.Part {
    fileprivate var node: Node {
        var builder = Node.Builder()
        builder.insert(Node(.string(expression)), named: "expression")
        builder.insert(Node(.string(value)), named: isFailure ? "failure" : "value")
        return builder.finish()
    }
}

extension Node {
    fileprivate init(list nodes: [Node]) {
        var builder = Node.Builder()
        for (index, node) in nodes.enumerated() { builder.insert(node, for: Key(index: index)) }
        self = builder.finish()
    }
}

extension Node.Builder {
    fileprivate mutating func insert(_ node: Node, named name: StaticString) {
        let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        insert(node, for: Key(checked: bytes))
    }
}

extension String {
    /// Line breaks and the space around them become one space.
    fileprivate var onOneLine: String {
        split(whereSeparator: \.isNewline)
            .map { String($0.drop { $0 == " " || $0 == "\t" }) }
            .joined(separator: " ")
    }
}
