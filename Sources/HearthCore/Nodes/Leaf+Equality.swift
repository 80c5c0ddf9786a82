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
    /// Swift's own equality also holds for canonically equivalent texts.
    fileprivate func hasSameCharacters(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether there are the same bytes, compared eight at a time.
    @inline(__always)
    public func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
            index &+= 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index &+= 1
        }
        return true
    }
}
