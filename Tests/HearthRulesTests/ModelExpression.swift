// Expressions made at random, with a second evaluator that just walks the tree and knows nothing of ours.
import Foundation
import HearthTesting

/// What the model computes with.
enum ModelValue: Equatable {
    case null, object
    case bool(Bool)
    case number(Double)
    case string(String)

    /// No conversion; objects equal nothing, NaN equals nothing.
    func equals(_ other: ModelValue) -> Bool {
        if self == .object || other == .object { return false }
        return self == other
    }
}

/// An evaluation that fails fails the whole rule.
struct ModelFailure: Error {}

/// A tree of plain dictionaries.
indirect enum ModelTree {
    case leaf(ModelValue)
    case children([String: ModelTree])

    static let nothing = ModelTree.leaf(.null)

    func child(_ path: [String]) -> ModelTree {
        guard let first = path.first else { return self }
        guard case .children(let children) = self, let child = children[first] else { return .nothing }
        return child.child(Array(path.dropFirst()))
    }

    var value: ModelValue {
        switch self {
        case .leaf(let value): value
        case .children(let children): children.values.allSatisfy { $0.value == .null } ? .null : .object
        }
    }

    var json: String {
        switch self {
        case .leaf(.null), .leaf(.object): "null"
        case .leaf(.bool(let value)): "\(value)"
        case .leaf(.number(let value)): "\(value)"
        case .leaf(.string(let text)): "\"\(text)\""
        case .children(let children):
            "{" + children.map { "\"\($0.key)\":\($0.value.json)" }.joined(separator: ",") + "}"
        }
    }
}

/// What the model knows of a request.
struct ModelContext {
    var old: ModelTree
    var new: ModelTree
    var path: [String]
    var uid: String?
    var now: Double
}

/// An expression that yields a value.
indirect enum ModelExpression {
    case literal(ModelValue)
    case now, uid, wildcard
    case value(ModelSnapshot)
    case arithmetic(String, ModelExpression, ModelExpression)
    case negated(ModelExpression)
    case length(ModelExpression)
    case upper(ModelExpression)
    case replace(ModelExpression, ModelExpression, ModelExpression)
    case condition(ModelCondition)

    var source: String {
        switch self {
        case .literal(.null), .literal(.object): "null"
        case .literal(.bool(let value)): "\(value)"
        case .literal(.number(let value)): value == value.rounded() ? "\(Int(value))" : "\(value)"
        case .literal(.string(let text)): "'\(text)'"
        case .now: "now"
        case .uid: "auth.uid"
        case .wildcard: "$key"
        case .value(let snapshot): "\(snapshot.source).val()"
        case .arithmetic(let sign, let left, let right): "(\(left.source) \(sign) \(right.source))"
        case .negated(let operand): "(- \(operand.source))"
        case .length(let text): "\(text.source).length"
        case .upper(let text): "\(text.source).toUpperCase()"
        case .replace(let text, let old, let new): "\(text.source).replace(\(old.source), \(new.source))"
        case .condition(let condition): "(\(condition.source))"
        }
    }

    func value(_ context: ModelContext) throws -> ModelValue {
        switch self {
        case .literal(let value): return value
        case .now: return .number(context.now)
        case .uid: return context.uid.map(ModelValue.string) ?? .null
        case .wildcard: return .string(context.path[0])
        case .value(let snapshot): return try snapshot.find(context).value
        case .negated(let operand): return .number(-(try operand.number(context)))
        case .length(let text): return .number(Double(try text.text(context).count))
        case .upper(let text): return .string(try text.text(context).uppercased())
        case .replace(let text, let old, let new):
            let (text, old, new) = (try text.text(context), try old.text(context), try new.text(context))
            return .string(text.replacing(old, with: new))
        case .condition(let condition): return .bool(try condition.isTrue(context))
        case .arithmetic("+", let left, let right):
            let (first, second) = (try left.value(context), try right.value(context))
            switch (first, second) {
            case (.number(let left), .number(let right)): return .number(left + right)
            case (.string, .string), (.string, .number), (.number, .string):
                return .string(try spelled(first) + spelled(second))
            default: throw ModelFailure()
            }
        case .arithmetic(let sign, let left, let right):
            let (first, second) = (try left.value(context), try right.value(context))
            guard case .number(let left) = first, case .number(let right) = second else {
                throw ModelFailure()
            }
            switch sign {
            case "-": return .number(left - right)
            case "*": return .number(left * right)
            case "/": return .number(right == 0 ? .nan : left / right)
            default: return .number(right == 0 ? .nan : left.truncatingRemainder(dividingBy: right))
            }
        }
    }

    private func spelled(_ value: ModelValue) throws -> String {
        switch value {
        case .string(let text): return text
        case .number(let number):
            if number.isNaN { return "NaN" }
            return number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        default: throw ModelFailure()
        }
    }

    func number(_ context: ModelContext) throws -> Double {
        guard case .number(let number) = try value(context) else { throw ModelFailure() }
        return number
    }

    func text(_ context: ModelContext) throws -> String {
        guard case .string(let text) = try value(context) else { throw ModelFailure() }
        return text
    }
}

/// An expression that yields a snapshot.
indirect enum ModelSnapshot {
    case root, data, newData
    case child(ModelSnapshot, ModelExpression)
    case parent(ModelSnapshot)

    var source: String {
        switch self {
        case .root: "root"
        case .data: "data"
        case .newData: "newData"
        case .child(let snapshot, let name): "\(snapshot.source).child(\(name.source))"
        case .parent(let snapshot): "\(snapshot.source).parent()"
        }
    }

    private func place(_ context: ModelContext) throws -> (isNew: Bool, path: [String]) {
        switch self {
        case .root: return (false, [])
        case .data: return (false, context.path)
        case .newData: return (true, context.path)
        case .child(let snapshot, let name):
            let (isNew, path) = try snapshot.place(context)
            let steps = try name.text(context).split(separator: "/").map(String.init)
            return (isNew, path + steps)
        case .parent(let snapshot):
            let (isNew, path) = try snapshot.place(context)
            guard !path.isEmpty else { throw ModelFailure() }
            // A path that no data can have has no parent that could be told.
            guard path.allSatisfy({ !$0.contains(".") }) else { throw ModelFailure() }
            return (isNew, Array(path.dropLast()))
        }
    }

    func find(_ context: ModelContext) throws -> ModelTree {
        let (isNew, path) = try place(context)
        return (isNew ? context.new : context.old).child(path)
    }
}

/// An expression that yields true or false.
indirect enum ModelCondition {
    case literal(Bool)
    case not(ModelCondition)
    case all(ModelCondition, ModelCondition)
    case any(ModelCondition, ModelCondition)
    case choice(ModelCondition, ModelCondition, ModelCondition)
    case equality(String, ModelExpression, ModelExpression)
    case order(String, ModelExpression, ModelExpression)
    case exists(ModelSnapshot)
    case hasChild(ModelSnapshot, ModelExpression)
    case hasChildren(ModelSnapshot, [ModelExpression])
    case kind(ModelSnapshot, String)
    case search(String, ModelExpression, ModelExpression)
    /// Foundation's regular expressions tell whether it is right.
    case matches(ModelExpression, String)
    case hasAnyChild(ModelSnapshot)

    var source: String {
        switch self {
        case .literal(let value): "\(value)"
        case .not(let operand): "!(\(operand.source))"
        case .all(let left, let right): "(\(left.source) && \(right.source))"
        case .any(let left, let right): "(\(left.source) || \(right.source))"
        case .choice(let test, let first, let second): "(\(test.source) ? \(first.source) : \(second.source))"
        case .equality(let sign, let left, let right), .order(let sign, let left, let right):
            "(\(left.source) \(sign) \(right.source))"
        case .exists(let snapshot): "\(snapshot.source).exists()"
        case .hasChild(let snapshot, let name): "\(snapshot.source).hasChild(\(name.source))"
        case .hasChildren(let snapshot, let names):
            "\(snapshot.source).hasChildren([\(names.map(\.source).joined(separator: ","))])"
        case .kind(let snapshot, let name): "\(snapshot.source).is\(name)()"
        case .search(let name, let text, let part): "\(text.source).\(name)(\(part.source))"
        case .matches(let text, let pattern): "\(text.source).matches(/\(pattern)/)"
        case .hasAnyChild(let snapshot): "\(snapshot.source).hasChildren()"
        }
    }

    func isTrue(_ context: ModelContext) throws -> Bool {
        switch self {
        case .literal(let value): return value
        case .not(let operand): return try !operand.isTrue(context)
        case .all(let left, let right): return try left.isTrue(context) && right.isTrue(context)
        case .any(let left, let right): return try left.isTrue(context) || right.isTrue(context)
        case .choice(let test, let first, let second):
            return try test.isTrue(context) ? first.isTrue(context) : second.isTrue(context)
        case .equality(let sign, let left, let right):
            let isEqual = try left.value(context).equals(right.value(context))
            return isEqual == (sign == "==")
        case .order(let sign, let left, let right): return try isOrdered(sign, left, right, context)
        case .exists(let snapshot): return try snapshot.find(context).value != .null
        case .hasChild(let snapshot, let name):
            return try snapshot.find(context).child(steps(name.text(context))).value != .null
        case .hasChildren(let snapshot, let names):
            let tree = try snapshot.find(context)
            if names.isEmpty { return true }
            return try names.allSatisfy { try tree.child(steps($0.text(context))).value != .null }
        case .kind(let snapshot, let name):
            switch try snapshot.find(context).value {
            case .string: return name == "String"
            case .number: return name == "Number"
            case .bool: return name == "Boolean"
            case .null, .object: return false
            }
        case .matches(let text, let pattern):
            return try text.text(context).range(of: pattern, options: .regularExpression) != nil
        case .hasAnyChild(let snapshot): return try snapshot.find(context).value == .object
        case .search(let name, let text, let part):
            let (text, part) = (try text.text(context), try part.text(context))
            switch name {
            case "contains": return part.isEmpty || text.contains(part)
            case "beginsWith": return text.hasPrefix(part)
            default: return text.hasSuffix(part)
            }
        }
    }

    private func steps(_ text: String) -> [String] {
        text.split(separator: "/").map(String.init)
    }

    private func isOrdered(
        _ sign: String, _ left: ModelExpression, _ right: ModelExpression, _ context: ModelContext
    ) throws -> Bool {
        switch (try left.value(context), try right.value(context)) {
        case (.number(let left), .number(let right)): return compare(sign, left, right)
        case (.string(let left), .string(let right)): return compare(sign, left, right)
        default: throw ModelFailure()
        }
    }

    private func compare<Value: Comparable>(_ sign: String, _ left: Value, _ right: Value) -> Bool {
        switch sign {
        case "<": left < right
        case "<=": left <= right
        case ">": left > right
        default: left >= right
        }
    }
}
