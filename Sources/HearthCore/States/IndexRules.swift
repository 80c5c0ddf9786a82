// Which indexes the stored rules define where: the `.indexOn` entries, wildcards included.

/// The `.indexOn` entries of a rules text as a tree of its own.
///
/// Reading is tolerant: it looks for indexes only; whether the rules are sound is not judged here.
/// Source: security-rules.md §1, rest-api.md §5.
public struct IndexRules: Sendable {
    /// The entries at one place and below it.
    final class Place: Sendable {
        let orders: [Query.Order]
        let children: [Key: Place]
        let wildcard: Place?

        init(orders: [Query.Order], children: [Key: Place], wildcard: Place?) {
            self.orders = orders
            self.children = children
            self.wildcard = wildcard
        }

        /// What holds for a child; a literal name wins over `$name` completely.
        func child(_ key: Key) -> Place? {
            children.isEmpty ? wildcard : children[key] ?? wildcard
        }

        /// Whether no index is defined here or below.
        var isVoid: Bool {
            orders.isEmpty && children.isEmpty && wildcard == nil
        }
    }

    /// The entries at the root and below; nil if there is none.
    let root: Place?

    /// No index anywhere.
    public static let none = IndexRules(root: nil)

    private init(root: Place?) {
        self.root = root
    }

    /// Reads rules text: relaxed JSON with an object named `rules`.
    ///
    /// - Throws: `RulesTextError` if it is no such text.
    public init(reading text: [UInt8]) throws(RulesTextError) {
        let document = try RelaxedJSON(reading: text)
        guard case .object = document.content else {
            throw RulesTextError("Expected '{'.", at: document.range.lowerBound, in: text)
        }
        guard let rules = document.member("rules") else {
            let message = "No 'rules' object: the document is {\"rules\": {…}}."
            throw RulesTextError(message, at: document.range.lowerBound, in: text)
        }
        guard case .object = rules.content else {
            throw RulesTextError("Expected '{'.", at: rules.range.lowerBound, in: text)
        }
        self.init(rules: rules)
    }

    /// Takes the entries out of the `rules` object of a text that was read before.
    public init(rules: RelaxedJSON) {
        guard case .object(let entries) = rules.content else {
            root = nil
            return
        }
        let place = IndexRules.place(entries)
        root = place.isVoid ? nil : place
    }

    /// The orders that are indexed at `path`.
    ///
    /// - Complexity: O(depth).
    public func orders(at path: Path) -> [Query.Order] {
        var place = root
        for key in path.keys { place = place?.child(key) }
        return place?.orders ?? []
    }

    private static func place(_ entries: [RelaxedJSON.Member]) -> Place {
        var orders: [Query.Order] = []
        var children: [Key: Place] = [:]
        var wildcard: Place?
        for entry in entries {
            let name = entry.name
            let value = entry.value
            if name == ".indexOn" {
                orders = self.orders(value)
            } else if case .object(let entries) = value.content {
                let below = place(entries)
                if name.hasPrefix("$") {
                    wildcard = below
                } else if let key = try? Key(name) {  // a name that no key can have stands for no place
                    children[key] = below
                }
            }
        }
        // A literal place without indexes must stay: it hides the wildcard.
        if wildcard == nil { children = children.filter { !$0.value.isVoid } }
        if let below = wildcard, below.isVoid {
            wildcard = nil
            children = children.filter { !$0.value.isVoid }
        }
        return Place(orders: orders, children: children, wildcard: wildcard)
    }

    private static func orders(_ value: RelaxedJSON) -> [Query.Order] {
        switch value.content {
        case .string(let text): order(text).map { [$0] } ?? []
        case .list(let elements): Array(elements.compactMap(element).reduce(into: []) { $0.appendNew($1) })
        case .object, .word: []
        }
    }

    private static func element(_ value: RelaxedJSON) -> Query.Order? {
        guard case .string(let text) = value.content else { return nil }
        return order(text)
    }

    private static func order(_ text: String) -> Query.Order? {
        if text == ".value" { return .value }
        guard let path = try? Path(text), !path.isRoot else { return nil }  // no child has such a name
        return .child(path)
    }
}

extension [Query.Order] {
    fileprivate mutating func appendNew(_ order: Query.Order) {
        if !contains(order) { append(order) }
    }
}

extension Query.Order {
    /// What `.indexOn` calls this order; nil for orders that need no entry.
    public var indexName: String? {
        switch self {
        case .key, .priority: nil
        case .value: ".value"
        case .child(let path): path.keys.map(\.text).joined(separator: "/")
        }
    }
}
