// All rules of a namespace.
public import HearthCore

/// All rules of a namespace: read and checked once, then asked from any thread.
public struct RuleSet: Sendable {
    /// The text as it was given, in UTF-8.
    public let text: [UInt8]
    /// The indexes that the rules define.
    public let indexes: IndexRules
    /// Which rules there are, in the order of the text; the place in this list is their number.
    public let references: [RuleReference]
    private let rules: [Rule]
    let root: RuleNode
    /// The rules for uploaded files.
    let files: RuleNode

    /// How many instructions all regular expressions of a rule set may have together.
    public static let patternSizeLimit = 100_000

    /// Reads and checks a rules text in UTF-8.
    ///
    /// - Throws: the first fault, in the words of security-rules.md §7.
    /// - Complexity: O(n) in the text, and in the size of its regular expressions, which is bounded.
    public init(reading text: [UInt8]) throws(RuleError) {
        let document: RelaxedJSON
        do throws(RulesTextError) {
            document = try RelaxedJSON(reading: text)
        } catch {
            throw RuleError(error, in: text)
        }
        var loader = RuleLoader(text)
        (root, files) = try loader.load(document)
        rules = loader.rules
        references = rules.map(\.reference)
        indexes = document.member("rules").map { IndexRules(rules: $0) } ?? .none
        self.text = text
    }

    /// How often each rule came to what, in the order of `references`, in those judgements that were to be
    /// counted.
    public var counts: [RuleCount] { rules.map(\.count) }

    /// The orders that are indexed at `path`.
    ///
    /// - Complexity: O(depth).
    public func indexes(at path: Path) -> [Query.Order] {
        indexes.orders(at: path)
    }

    /// Rules that allow nothing to anybody.
    public static let locked = RuleSet()

    private init() {
        text = Array(#"{"rules": {}}"#.utf8)
        indexes = .none
        rules = []
        references = []
        root = RuleNode()
        files = RuleNode()
    }
}
