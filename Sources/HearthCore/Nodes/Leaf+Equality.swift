// Texts are equal when they have the same characters, not when they merely look alike.

extension Leaf {
    /// Equal in kind and value; texts by their UTF-8, so that é and e with an accent beside it differ.
    public static func == (left: Leaf, right: Leaf) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameCharacters(as: right)
        default: false
        }
    }
}

extension Priority {
    /// Equal in kind and value; texts by their UTF-8.
    public static func == (left: Priority, right: Priority) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameCharacters(as: right)
        default: false
        }
    }
}

extension String {
    /// Swift's own equality also holds for canonically equivalent texts; most differ before that.
    fileprivate func hasSameCharacters(as other: String) -> Bool {
        self == other && Ordering(utf16: self, other) == .same
    }
}
