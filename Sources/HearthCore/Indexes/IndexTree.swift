// All indexes of a namespace, by the place whose children they order.

/// All indexes of a namespace, in a tree of the same shape as the data, kept beside the root in each
/// state.
///
/// A place has an index when the rules define it and it has more than `Limits.childThreshold` children:
/// fewer are sorted when they are asked for. An index in the order by priority, or in one that no rule
/// defines, is kept where it was demanded. What is too large to be indexed while a commit waits is marked
/// as unscanned; a build, which runs on a retained state, looks there for what is missing. An index that
/// is there is right, always.
struct IndexTree: Sendable {
    /// When an index pays, and how much a commit may do for one.
    struct Limits: Hashable, Sendable {
        /// Up to so many children are sorted on demand. Below half of it an index is dropped again.
        var childThreshold = 16
        /// What weighs more is left to a build; in bytes of JSON, about.
        var inlineWeight = 65_536
    }

    /// One index of a place.
    struct Slot: Sendable {
        let order: Query.Order
        /// Whether it is kept although no rule defines it.
        var isDemanded: Bool
        /// Nil while it is still to be built.
        var index: OrderIndex?
    }

    /// The indexes at one place and below it.
    final class Place: Sendable {
        let slots: [Slot]
        let children: Children
        /// Whether here and everywhere below defined indexes may be missing.
        let isUnscanned: Bool
        /// How many children have something unscanned.
        let unscannedChildCount: Int

        init(slots: [Slot], children: Children, isUnscanned: Bool, unscannedChildCount: Int) {
            self.slots = slots
            self.children = children
            self.isUnscanned = isUnscanned
            self.unscannedChildCount = unscannedChildCount
        }

        var hasUnscanned: Bool { isUnscanned || unscannedChildCount > 0 }

        func child(_ key: Key) -> Place? {
            children[key]
        }

        /// The same place with another one below.
        func setting(_ key: Key, from old: Place?, to new: Place) -> Place {
            var children = children
            children.set(key, to: new)
            let unscanned =
                unscannedChildCount + (new.hasUnscanned ? 1 : 0) - (old?.hasUnscanned ?? false ? 1 : 0)
            return Place(
                slots: slots, children: children, isUnscanned: isUnscanned, unscannedChildCount: unscanned)
        }
    }

    var root: Place?
    var limits = Limits()

    /// Whether a build has something to do. O(1).
    var hasUnscanned: Bool { root?.hasUnscanned ?? false }

    /// The index of a place in an order, nil if there is none or it is not built yet.
    ///
    /// - Complexity: O(depth · log n).
    func index(at path: Path, order: Query.Order) -> OrderIndex? {
        slot(at: path, order: order)?.index
    }

    /// The same, with what is still to be built.
    func slot(at path: Path, order: Query.Order) -> Slot? {
        var place = root
        for key in path.keys { place = place?.child(key) }
        return place?.slots.first { $0.order == order }
    }

    /// No index, and everything still to be looked through.
    mutating func forget() {
        root = Self.unscanned
    }

    private static let unscanned = Place(
        slots: [], children: .none, isUnscanned: true, unscannedChildCount: 0)

    /// Everything is to be looked through again: the rules have changed.
    mutating func markUnscanned() {
        root = Place(
            slots: root?.slots ?? [], children: root?.children ?? .none, isUnscanned: true,
            unscannedChildCount: root?.unscannedChildCount ?? 0)
    }
}

extension IndexTree {
    /// A place that is being changed; it knows how to become nothing.
    struct Draft {
        var slots: [Slot] = []
        var children = Children.none
        var isUnscanned = false
        var unscannedChildCount = 0

        init(_ place: Place?) {
            guard let place else { return }
            slots = place.slots
            children = place.children
            isUnscanned = place.isUnscanned
            unscannedChildCount = place.unscannedChildCount
        }

        mutating func setChild(_ key: Key, from old: Place?, to new: Place?) {
            if old === new { return }
            unscannedChildCount += (new?.hasUnscanned ?? false ? 1 : 0) - (old?.hasUnscanned ?? false ? 1 : 0)
            children.set(key, to: new)
        }

        /// The place; nil if there is nothing to be kept.
        func finish() -> Place? {
            guard !slots.isEmpty || !children.isEmpty || isUnscanned else { return nil }
            return Place(
                slots: slots, children: children, isUnscanned: isUnscanned,
                unscannedChildCount: unscannedChildCount)
        }
    }
}
