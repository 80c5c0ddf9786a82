// From rules text to a tree of compiled rules: the one place that knows the dotted keys.
import HearthCore

/// Checks the structure of a document and compiles its rules.
struct RuleLoader {
    private let text: [UInt8]
    private(set) var rules: [Rule] = []
    private var patternSize = 0
    private var isOnFiles = false

    private static let expected =
        "Invalid rule expression.  Expected 'true', 'false', or an expression string."
    private static let indexText =
        "Invalid indexOn expression. Must be either a string or an array of strings"
    private static let illegalKey = ##"String can't contain ".", "#", "$", "/", "[", or "]""##

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Where a node stands.
    private struct Place {
        var text = ""
        var depth = 0
        var captures: [String: Int] = [:]

        /// The place of a child; a wildcard names the key at this place's depth.
        func child(_ name: String) -> Place {
            var child = self
            child.text += "/" + name
            if name.hasPrefix("$") { child.captures[name] = depth }
            child.depth += 1
            return child
        }
    }

    /// The rules for data and those for files.
    mutating func load(_ document: RelaxedJSON) throws(RuleError) -> (data: RuleNode, files: RuleNode) {
        let members = try members(of: document)
        try refuseDoubled(members)
        for member in members where member.name != "rules" && member.name != "files" {
            throw failure(
                "Unknown key '\(member.name)': the document is {\"rules\": {…}}.", atNameOf: member,
                suggestion: Spelling.nearest(to: member.name, among: ["rules", "files"]))
        }
        guard let rules = document.member("rules") else {
            throw failure("No 'rules' object: the document is {\"rules\": {…}}.", at: document)
        }
        let data = try node(rules, at: Place())
        isOnFiles = true
        let files = try document.member("files").map { value throws(RuleError) in try node(value, at: Place())
        }
        return (data, files ?? RuleNode())
    }

    private func failure(
        _ message: String, atNameOf member: RelaxedJSON.Member, suggestion: String? = nil
    ) -> RuleError {
        // The value may stand on another line, and its name as far before it as the text likes.
        let end = min(member.nameStart + member.name.utf8.count + 2, member.value.range.lowerBound)
        return RuleError(message, at: member.nameStart..<end, in: text, suggestion: suggestion)
    }

    private func failure(_ message: String, at value: RelaxedJSON) -> RuleError {
        RuleError(message, at: value.range, in: text)
    }

    private func members(of value: RelaxedJSON) throws(RuleError) -> [RelaxedJSON.Member] {
        guard case .object(let members) = value.content else { throw failure("Expected '{'.", at: value) }
        return members
    }

    /// JSON readers disagree about which of two equal names counts; rules must not depend on that.
    private func refuseDoubled(_ members: [RelaxedJSON.Member]) throws(RuleError) {
        var names: Set<String> = []
        for member in members where !names.insert(member.name).inserted {
            throw failure("Duplicate key '\(member.name)'.", atNameOf: member)
        }
    }

    /// Reads one node; the reader of the text has bounded the recursion.
    private mutating func node(_ value: RelaxedJSON, at place: Place) throws(RuleError) -> RuleNode {
        let members = try members(of: value)
        try refuseDoubled(members)
        var rules: [String: Rule] = [:]
        var children: [Key: RuleNode] = [:]
        var wildcard: (name: String, node: RuleNode)?
        for member in members {
            switch member.name {
            case ".read": rules[member.name] = try rule(.read, member.value, at: place)
            case ".write": rules[member.name] = try rule(.write, member.value, at: place)
            case ".validate": rules[member.name] = try rule(.validate, member.value, at: place)
            case ".indexOn": try checkIndex(member.value)
            case let name where name.hasPrefix("$"):
                if let first = wildcard?.name {
                    let message = "Cannot have multiple default rules ('\(first)' and '\(name)')."
                    throw failure(message, atNameOf: member)
                }
                try checkWildcard(member, at: place)
                wildcard = (name, try node(member.value, at: place.child(name)))
            default:
                let key = try key(of: member)
                children[key] = try node(member.value, at: place.child(member.name))
            }
        }
        return RuleNode(
            read: rules[".read"], write: rules[".write"], validate: rules[".validate"],
            children: children, wildcard: wildcard?.node)
    }

    private func checkWildcard(_ member: RelaxedJSON.Member, at place: Place) throws(RuleError) {
        guard place.captures[member.name] == nil else {
            throw failure("Variable '\(member.name)' is already captured above.", atNameOf: member)
        }
        do throws(KeyError) {
            _ = try Key(String(member.name.dropFirst()))
        } catch {
            throw failure(Self.illegalKey, atNameOf: member)
        }
    }

    private func key(of member: RelaxedJSON.Member) throws(RuleError) -> Key {
        do throws(KeyError) {
            return try Key(member.name)
        } catch {
            guard member.name.hasPrefix("."), !member.value.isObject else {
                throw failure(Self.illegalKey, atNameOf: member)
            }
            let known = [".read", ".write", ".validate", ".indexOn"]
            throw RuleError(
                "Expected '{'.", at: member.value.range, in: text,
                suggestion: Spelling.nearest(to: member.name, among: known))
        }
    }

    private func checkIndex(_ value: RelaxedJSON) throws(RuleError) {
        switch value.content {
        case .string: return
        case .list(let elements):
            for element in elements {
                guard case .string = element.content else { throw failure(Self.indexText, at: element) }
            }
        case .word, .object: throw failure(Self.indexText, at: value)
        }
    }

    private mutating func rule(
        _ kind: RuleReference.Kind, _ value: RelaxedJSON, at place: Place
    ) throws(RuleError) -> Rule {
        let source: String
        switch value.content {
        case .string(let text): source = text
        case .word("true"): source = "true"
        case .word("false"): source = "false"
        case .word, .list, .object: throw failure(Self.expected, at: value)
        }
        let expression = try compile(source, kind, value, at: place)
        patternSize += expression.patternSize
        guard patternSize <= RuleSet.patternSizeLimit else {
            let message =
                "regular expressions are too large: at most \(RuleSet.patternSizeLimit) steps in all rules"
            throw failure(message, at: value)
        }
        let start = RulesTextError("", at: value.range.lowerBound, in: text)
        let reference = RuleReference(
            number: rules.count, kind: kind, place: place.text.isEmpty ? "/" : place.text,
            line: start.line, column: start.column)
        let rule = Rule(reference: reference, expression: expression)
        rules.append(rule)
        return rule
    }

    private func compile(
        _ source: String, _ kind: RuleReference.Kind, _ value: RelaxedJSON, at place: Place
    ) throws(RuleError) -> Expression {
        let scope = ExpressionScope(kind: kind, isOnFiles: isOnFiles, captures: place.captures)
        do throws(ExpressionError) {
            return try Checker.compile(source, in: scope)
        } catch {
            let start = value.offset(ofByte: error.range.lowerBound, in: text)
            let end = value.offset(ofByte: error.range.upperBound, in: text)
            throw RuleError(
                error.message, at: start..<max(start, end), in: text, suggestion: error.suggestion)
        }
    }
}

extension RelaxedJSON {
    fileprivate var isObject: Bool {
        if case .object = content { return true }
        return false
    }
}
