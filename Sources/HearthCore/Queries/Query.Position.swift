// A child's place in the order that a query asks for.

extension Query {
    /// A place in the total order of a query: the ordered value, then the key (rest-api.md §5).
    ///
    /// What decides lies in six words; comparing two places most often is comparing integers.
    public struct Position: Sendable {
        let words: Words
        let rest: Rest?

        /// The words of the ordered value, then those of the key.
        struct Words: Sendable {
            let value0: UInt64
            let value1: UInt64
            let value2: UInt64
            let key0: UInt64
            let key1: UInt64
            let key2: UInt64
        }

        /// What the words do not say of a place.
        final class Rest: Sendable {
            let value: OrderedValue.LongText?
            let key: KeySpill?

            init(value: OrderedValue.LongText?, key: KeySpill?) {
                self.value = value
                self.key = key
            }
        }

        /// Puts a place together.
        public init(value: Value, key: Key) {
            self.init(OrderedValue(value), key)
        }

        init(_ value: OrderedValue, _ key: Key) {
            words = Words(
                value0: value.word0, value1: value.word1, value2: value.word2, key0: key.word0,
                key1: key.word1, key2: key.word2)
            let fits = value.long == nil && key.spill == nil
            rest = fits ? nil : Rest(value: value.long, key: key.spill)
        }

        init(_ words: Words, _ rest: Rest?) {
            self.words = words
            self.rest = rest
        }

        /// What the child is ordered by; `null` for all children in the order by key.
        public var value: Value { ordered.value }

        /// The child's name, which decides between equal values.
        public var key: Key {
            Key(word0: words.key0, word1: words.key1, word2: words.key2, spill: rest?.key)
        }

        var ordered: OrderedValue {
            OrderedValue(
                word0: words.value0, word1: words.value1, word2: words.value2, long: rest?.value)
        }
    }
}

extension Query.Position: Comparable {
    /// By value, then by key.
    public static func < (left: Query.Position, right: Query.Position) -> Bool {
        if left.rest == nil, right.rest == nil { return left.words < right.words }
        switch left.ordered.ordering(to: right.ordered) {
        case .ascending: return true
        case .descending: return false
        case .same: return left.key < right.key
        }
    }

    /// Equal means: the same place. Texts count by their UTF-8, as everywhere.
    public static func == (left: Query.Position, right: Query.Position) -> Bool {
        guard left.words == right.words else { return false }
        if left.rest === right.rest { return true }
        return left.key == right.key && left.ordered == right.ordered
    }

    /// Whether this place lies before a bound; a bound stands between places, never on one.
    public func precedes(_ bound: Query.Bound, in order: Query.Order) -> Bool {
        if case .key = order { return key.precedes(bound.key) }
        switch ordered.ordering(to: bound.ordered) {
        case .ascending: return true
        case .descending: return false
        case .same: return key.precedes(bound.key)
        }
    }
}

extension Query.Position: Hashable {
    /// Feeds what equal places have in common.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.value0)
        hasher.combine(words.value1)
        hasher.combine(words.value2)
        hasher.combine(words.key0)
        hasher.combine(words.key1)
        hasher.combine(words.key2)
    }
}

extension Query.Position.Words: Comparable {
    @inline(__always)
    static func < (left: Self, right: Self) -> Bool {
        if left.value0 != right.value0 { return left.value0 < right.value0 }
        if left.value1 != right.value1 { return left.value1 < right.value1 }
        if left.value2 != right.value2 { return left.value2 < right.value2 }
        if left.key0 != right.key0 { return left.key0 < right.key0 }
        if left.key1 != right.key1 { return left.key1 < right.key1 }
        return left.key2 < right.key2
    }
}
