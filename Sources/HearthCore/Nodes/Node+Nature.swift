// What one look at a node tells, for walks that look at many.

extension Node {
    /// What stands at a place, but for its value.
    public enum Nature: Hashable, Sendable {
        case nothing
        case leaf(Leaf.Kind)
        case children
    }

    /// What stands here.
    public var nature: Nature {
        switch storage {
        case .empty: .nothing
        case .leaf(let leaf): .leaf(leaf.kind)
        case .ranked(let ranked): .leaf(ranked.leaf.kind)
        default: .children
        }
    }

    /// The value, if it is a text.
    public var text: String? {
        switch storage {
        case .leaf(.string(let text)): text
        case .ranked(let ranked): ranked.leaf.text
        default: nil
        }
    }

    /// How long a text is.
    public struct TextLengths: Sendable {
        /// In bytes of UTF-8.
        public let utf8: Int
        /// In UTF-16 code units, as clients count.
        public let utf16: Int

        fileprivate init(_ text: String) {
            utf8 = text.utf8.count
            utf16 = text.utf16.count
        }
    }

    /// How long the text is; nil if this is none.
    ///
    /// - Complexity: O(1) for ASCII, else O(length).
    public var textLengths: TextLengths? {
        switch storage {
        case .leaf(.string(let text)): TextLengths(text)
        case .ranked(let ranked): ranked.leaf.text.map { TextLengths($0) }
        default: nil
        }
    }
}

extension Leaf {
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
