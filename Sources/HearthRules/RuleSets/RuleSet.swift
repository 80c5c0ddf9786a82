// All rules of a namespace.
public import HearthCore

/// All rules of a namespace: read and checked once, then asked from any thread.
public struct RuleSet: Sendable {
    /// One reference, so that whoever asks hands no more on than that.
    private let content: Content

    private final class Content: Sendable {
        let text: [UInt8]
        let indexes: IndexRules
        let rules: [Rule]
        let root: RuleNode
        let files: RuleNode

        init(text: [UInt8], indexes: IndexRules, rules: [Rule], root: RuleNode, files: RuleNode) {
            self.text = text
            self.indexes = indexes
            self.rules = rules
            self.root = root
            self.files = files
        }
    }

    /// The text as it was given, in UTF-8.
    public var text: [UInt8] { content.text }

    /// The indexes that the rules define.
    public var indexes: IndexRules { content.indexes }

    /// Which rules there are, in the order of the text; the place in this list is their number.
    public var references: [RuleReference] { content.rules.map(\.reference) }

    /// The rules for data.
    var root: RuleNode { content.root }

    /// The rules for uploaded files.
    var files: RuleNode { content.files }

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
        let (root, files) = try loader.load(document)
        content = Content(
            text: text, indexes: document.member("rules").map { IndexRules(rules: $0) } ?? .none,
            rules: loader.rules, root: root, files: files)
    }

    /// How often each rule came to what, in the order of `references`, in those judgements that were to be
    /// counted.
    public var counts: [RuleCount] { content.rules.map(\.count) }

    /// The orders that are indexed at `path`.
    ///
    /// - Complexity: O(depth).
    public func indexes(at path: Path) -> [Query.Order] {
        indexes.orders(at: path)
    }

    /// Rules that allow nothing to anybody.
    public static let locked = RuleSet()

    private init() {
        content = Content(
            text: Array(#"{"rules": {}}"#.utf8), indexes: .none, rules: [], root: RuleNode(),
            files: RuleNode())
    }
}
