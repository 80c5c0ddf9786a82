// Members: what may be named after a dot, and what may be called.
import HearthCore

/// The functions of snapshots.
enum SnapshotMethod: String, CaseIterable, Sendable {
    case val, child, parent, hasChild, hasChildren, exists, getPriority, isString, isNumber, isBoolean
}

/// The functions of texts.
enum StringMethod: String, CaseIterable, Sendable {
    case contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase, matches
}

extension Checker {
    /// A member that is not called.
    mutating func checkMember(
        _ name: String, of target: Syntax, _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let part = try check(target)
        switch part.type {
        case .unknown:
            if name == "uid", case .auth = operations[part.step] {
                return emit(.uid(part.step), .unknown, syntax)
            }
            return emit(.member(part.step, name: tables.names.place(of: name)), .unknown, syntax)
        case .query:
            guard let member = QueryFacts.Member(rawValue: name) else {
                throw unknownMember(name, syntax, among: QueryFacts.Member.allCases.map(\.rawValue))
            }
            return emit(.query(member), member.type, syntax)
        case .request, .resource:
            return try checkFileMember(name, ofRequest: part.type == .request, syntax)
        case .string, .primitive:
            if name == "length" { return emit(.length(part.step), .number, syntax) }
            guard StringMethod(rawValue: name) != nil else {
                let names = ["length"] + StringMethod.allCases.map(\.rawValue)
                throw unknownMember(name, syntax, among: names)
            }
            return emit(Value.null, .function, syntax)
        case .snapshot:
            guard SnapshotMethod(rawValue: name) != nil else {
                throw unknownMember(name, syntax, among: SnapshotMethod.allCases.map(\.rawValue))
            }
            return emit(Value.null, .function, syntax)
        case .number, .boolean, .null, .function, .list, .pattern:
            throw ExpressionError("Invalid property access: target is not an object.", syntax.range)
        }
    }

    private func unknownMember(_ name: String, _ syntax: Syntax, among names: [String]) -> ExpressionError {
        ExpressionError(
            "No such method/property '\(name)'.", syntax.range,
            suggestion: Spelling.nearest(to: name, among: names))
    }

    private mutating func checkFileMember(
        _ name: String, ofRequest: Bool, _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        switch name {
        case "size": return emit(.file(ofRequest ? .requestSize : .resourceSize), .number, syntax)
        case "contentType":
            return emit(.file(ofRequest ? .requestContentType : .resourceContentType), .string, syntax)
        default: throw unknownMember(name, syntax, among: ["size", "contentType"])
        }
    }

    mutating func checkElement(
        _ index: Syntax, of target: Syntax, _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let part = try check(target)
        guard part.type == .unknown else {
            throw ExpressionError(
                "Invalid property access: only members of auth may be computed.", index.range)
        }
        let indexPart = try check(index)
        guard indexPart.type.mayBeString || indexPart.type.mayBeNumber else {
            throw ExpressionError("Invalid property access: the name is not a string.", index.range)
        }
        return emit(.element(part.step, indexPart.step), .unknown, syntax)
    }

    mutating func checkCall(
        _ callee: Syntax, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        guard case .member(let target, let name) = callee.kind else {
            _ = try check(callee)
            throw notCallable(callee)
        }
        let before = (operations, ranges)
        let part = try check(target)
        if part.type == .snapshot, let method = SnapshotMethod(rawValue: name) {
            return try call(method, of: part, arguments, syntax)
        }
        if part.type.mayBeString, let method = StringMethod(rawValue: name) {
            return try call(method, of: part, arguments, syntax)
        }
        (operations, ranges) = before
        _ = try check(callee)
        throw notCallable(callee)
    }

    private func notCallable(_ callee: Syntax) -> ExpressionError {
        ExpressionError("Type error: Function call on target that is not a function.", callee.range)
    }

    private mutating func call(
        _ method: SnapshotMethod, of target: Part, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        switch method {
        case .child:
            return emit(.child(target.step, try path("child", arguments, syntax)), .snapshot, syntax)
        case .hasChild:
            return emit(.hasChild(target.step, try path("hasChild", arguments, syntax)), .boolean, syntax)
        case .hasChildren:
            let operation: Operation =
                arguments.isEmpty
                ? .hasAnyChild(target.step) : hasChildren(try names(arguments, syntax), target.step)
            return emit(operation, .boolean, syntax)
        case .val, .parent, .exists, .getPriority, .isString, .isNumber, .isBoolean:
            try demandNone(method.rawValue, arguments, syntax)
            return plainCall(method, of: target, syntax)
        }
    }

    private mutating func hasChildren(_ names: [PathArgument], _ target: Int) -> Operation {
        let keys = names.compactMap { if case .step(let place) = $0 { place } else { nil } }
        // Keys that come one after the other have places side by side.
        guard let first = keys.first, keys.count == names.count else {
            return .hasChildren(target, tables.arguments.places(of: names))
        }
        return .hasNames(target, first..<first + keys.count)
    }

    private mutating func plainCall(_ method: SnapshotMethod, of target: Part, _ syntax: Syntax) -> Part {
        switch method {
        case .val: emit(.value(target.step), .primitive, syntax)
        case .parent: emit(.parent(target.step), .snapshot, syntax)
        case .exists: emit(.exists(target.step), .boolean, syntax)
        case .getPriority: emit(.priority(target.step), .primitive, syntax)
        case .isString: emit(.isKind(target.step, .string), .boolean, syntax)
        case .isNumber: emit(.isKind(target.step, .number), .boolean, syntax)
        case .isBoolean: emit(.isKind(target.step, .bool), .boolean, syntax)
        case .child, .hasChild, .hasChildren: preconditionFailure("these have arguments")
        }
    }

    /// The one argument of a method that takes a path.
    private mutating func path(
        _ method: String, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> PathArgument {
        if arguments.count == 1, let known = known(arguments[0]) { return known }
        let step = try text(method, arguments, syntax)
        return argument(step)
    }

    /// A path that is written out is split once, here.
    private mutating func known(_ argument: Syntax) -> PathArgument? {
        guard case .constant(.string(let path)) = argument.kind else { return nil }
        let way = Way(path)
        if case .one(let key) = way { return .step(tables.keys.place(of: key)) }
        return .known(tables.ways.place(of: way))
    }

    private func argument(_ step: Int) -> PathArgument {
        if case .key(let depth) = operations[step] { return .captured(depth: depth) }
        return .computed(step)
    }

    private mutating func call(
        _ method: StringMethod, of target: Part, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        switch method {
        case .contains, .beginsWith, .endsWith:
            let argument = try text(method.rawValue, arguments, syntax)
            let search: StringSearch =
                method == .contains ? .contains : method == .beginsWith ? .beginsWith : .endsWith
            return emit(.search(search, target.step, argument), .boolean, syntax)
        case .replace:
            guard arguments.count == 2 else {
                throw ExpressionError("replace() expects two arguments.", syntax.range)
            }
            let old = try replaceArgument(1, arguments[0])
            let new = try replaceArgument(2, arguments[1])
            return emit(.replace(target.step, old, new), .string, syntax)
        case .toLowerCase:
            try demandNone("toLowerCase", arguments, syntax)
            return emit(.lowercase(target.step), .string, syntax)
        case .toUpperCase:
            try demandNone("toUpperCase", arguments, syntax)
            return emit(.uppercase(target.step), .string, syntax)
        case .matches:
            let pattern = tables.patterns.place(of: try pattern(arguments, syntax))
            return emit(.matches(target.step, pattern: pattern), .boolean, syntax)
        }
    }

    private func demandNone(
        _ method: String, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) {
        guard arguments.isEmpty else {
            throw ExpressionError("\(method)() expects no arguments.", syntax.range)
        }
    }

    /// The one argument of a method that takes a text.
    private mutating func text(
        _ method: String, _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> Int {
        guard arguments.count == 1 else {
            throw ExpressionError("\(method)() expects 1 argument.", syntax.range)
        }
        let part = try check(arguments[0])
        guard part.type.mayBeString else {
            throw ExpressionError("\(method)() expects a string argument.", arguments[0].range)
        }
        return part.step
    }

    private mutating func replaceArgument(_ number: Int, _ argument: Syntax) throws(ExpressionError) -> Int {
        let part = try check(argument)
        guard part.type.mayBeString else {
            throw ExpressionError("Argument \(number) of replace() must be a string.", argument.range)
        }
        return part.step
    }

    private func pattern(_ arguments: [Syntax], _ syntax: Syntax) throws(ExpressionError) -> Pattern {
        guard arguments.count == 1, case .pattern(let text, let flags) = arguments[0].kind else {
            throw ExpressionError("matches() expects a regular expression literal argument.", syntax.range)
        }
        let range = arguments[0].range
        guard flags.isEmpty || flags == "i" else {
            throw ExpressionError("regular expressions do not support flags other than i", range)
        }
        do throws(PatternError) {
            return try Pattern(text, ignoresCase: flags == "i")
        } catch {
            let start = range.lowerBound + 1 + error.offset
            throw ExpressionError(error.message, start..<max(start + 1, range.upperBound))
        }
    }

    private mutating func names(
        _ arguments: [Syntax], _ syntax: Syntax
    ) throws(ExpressionError) -> [PathArgument] {
        guard arguments.count == 1 else {
            throw ExpressionError(
                "hasChildren() expects only a single argument (containing an array of child names).",
                syntax.range)
        }
        guard case .list(let elements) = arguments[0].kind else {
            throw ExpressionError("hasChildren() expects an array of child names.", arguments[0].range)
        }
        var names: [PathArgument] = []
        for element in elements {
            if case .list = element.kind { throw notStrings(element) }
            let known = known(element)
            let part = try check(element)
            guard part.type.mayBeString else { throw notStrings(element) }
            names.append(known ?? argument(part.step))
        }
        return names
    }

    private func notStrings(_ element: Syntax) -> ExpressionError {
        ExpressionError("hasChildren() expects an array of strings.", element.range)
    }
}
