// The indexed places below one place.

extension IndexTree {
    /// The places below a place, by key. Most often there is one at most: above a list, and below it.
    enum Children: Sendable {
        case none
        case one(Key, Place)
        case many(SortedPages<Named>)

        /// A child of a place; equal if it has the same key.
        struct Named: PageElement {
            let key: Key
            let place: Place?

            var separator: Named { Named(key: key, place: nil) }

            static func < (left: Named, right: Named) -> Bool { left.key < right.key }
            static func == (left: Named, right: Named) -> Bool { left.key == right.key }
        }

        var isEmpty: Bool {
            if case .none = self { return true }
            return false
        }

        /// The place of that name. O(log n).
        subscript(key: Key) -> Place? {
            switch self {
            case .none: nil
            case .one(let only, let place): only == key ? place : nil
            case .many(let pages): pages.find(Named(key: key, place: nil))?.place
            }
        }

        /// All of them, in key order.
        var all: [(key: Key, place: Place)] {
            switch self {
            case .none: []
            case .one(let key, let place): [(key, place)]
            case .many(let pages):
                pages.ascending().compactMap { named in named.place.map { (named.key, $0) } }
            }
        }

        /// Puts a place in, or takes it out. O(log n).
        mutating func set(_ key: Key, to place: Place?) {
            switch self {
            case .none:
                if let place { self = .one(key, place) }
            case .one(let only, _) where only == key:
                self = place.map { .one(key, $0) } ?? .none
            case .one(let only, let other):
                guard let place else { return }
                var pages = SortedPages<Named>()
                pages.insert(Named(key: only, place: other))
                pages.insert(Named(key: key, place: place))
                self = .many(pages)
            case .many(var pages):
                if let place {
                    pages.insert(Named(key: key, place: place))
                } else {
                    pages.remove(Named(key: key, place: nil))
                }
                self = pages.isEmpty ? .none : .many(pages)
            }
        }
    }
}
