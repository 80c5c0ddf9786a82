// What expressions work with.
import HearthCore

/// A value while an expression is evaluated. Numbers are exact within 64 bits, as in the tree.
enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// May be a NaN or infinite, unlike in the tree.
    case double(Double)
    case string(String)
    /// Children: equals nothing, and is not null.
    case object
    /// A list or named values from `auth`: equals nothing, and is not null.
    case claims(Claims)

    /// What rules tell apart.
    enum Kind: String, Sendable {
        case null, boolean, number, string, object
    }

    var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .integer, .double: .number
        case .string: .string
        case .object, .claims: .object
        }
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    init(_ leaf: Leaf?) {
        switch leaf {
        case nil: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let text): self = .string(text)
        }
    }

    init(_ claims: Claims) {
        switch claims {
        case .null: self = .null
        case .leaf(let leaf): self.init(leaf)
        case .list, .object: self = .claims(claims)
        }
    }

    init(_ priority: Priority) {
        switch priority {
        case .none: self = .null
        case .number(let value): self.init(number: value)
        case .string(let text): self = .string(text)
        }
    }

    /// A number in its exact form, if it has one.
    init(number: Double) {
        if let whole = Int64(exactly: number) { self = .integer(whole) } else { self = .double(number) }
    }

    /// The value of a node: `val()`.
    init(of node: Node) {
        if let leaf = node.leaf {
            self.init(leaf)
        } else {
            self = node.isEmpty ? .null : .object
        }
    }

    /// No conversion: values of different kinds differ, objects equal nothing, NaN equals nothing.
    func equals(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)): Leaf.string(left) == Leaf.string(right)
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.integer(let left), .double(let right)), (.double(let right), .integer(let left)):
            Int64(exactly: right) == left
        default: false
        }
    }
}

extension Value: CustomStringConvertible {
    /// As JSON would show it; objects without what is in them, long texts cut.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): value.isNaN ? "NaN" : "\(value)"
        case .string(let text): Self.quoted(text)
        case .object: "(an object)"
        case .claims(.list): "(a list)"
        case .claims: "(an object)"
        }
    }

    private static let shownCharacterLimit = 60

    private static func quoted(_ text: String) -> String {
        let shown = text.prefix(shownCharacterLimit)
        return "'\(shown)\(shown.endIndex < text.endIndex ? "…" : "")'"
    }
}

extension Value {
    /// As a key or text is spelled when it is joined to another text; nil if it cannot be.
    var spelled: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): String(value)
        case .double(let value): Self.spelled(value)
        default: nil
        }
    }

    /// JavaScript's spelling where it is plain; `description` has the same digits.
    private static func spelled(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }
}
