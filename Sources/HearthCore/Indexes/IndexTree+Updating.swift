// Keeping indexes right while the tree changes under them.

extension IndexTree {
    /// The indexes after one edit has led from `old` to `new`.
    ///
    /// - Complexity: O(depth · log n) where indexes are defined or kept, O(1) elsewhere; a value below
    ///   `limits.inlineWeight` is looked through for places that now need one.
    func updated(by edit: Edit, from old: Node, to new: Node, rules: IndexRules) -> IndexTree {
        if root == nil && rules.root == nil { return self }
        let replaces = if case .put = edit { true } else { false }
        let step = Step(keys: edit.path.keys, replaces: replaces, limits: limits)
        var updated = self
        updated.root = step.update(root, depth: 0, rules: rules.root, from: old, to: new, isUnscanned: false)
        return updated
    }

    /// One step along the written path.
    private struct Step {
        let keys: [Key]
        let replaces: Bool
        let limits: Limits

        func update(
            _ place: Place?, depth: Int, rules: IndexRules.Place?, from old: Node, to new: Node,
            isUnscanned: Bool
        ) -> Place? {
            if place == nil && rules == nil { return nil }
            guard depth < keys.count else {
                return replaces ? replace(place, rules: rules, with: new, isUnscanned: isUnscanned) : place
            }
            let key = keys[depth]
            let isUnscanned = isUnscanned || (place?.isUnscanned ?? false)
            let (before, after) = (old.child(key), new.child(key))
            let child = place?.child(key)
            let changed = update(
                child, depth: depth + 1, rules: rules?.child(key), from: before, to: after,
                isUnscanned: isUnscanned)
            if place?.slots.isEmpty ?? true, rules?.orders.isEmpty ?? true {
                if changed === child { return place }
                if let place, let changed { return place.setting(key, from: child, to: changed) }
            }
            var draft = Draft(place)
            for index in draft.slots.indices {
                draft.slots[index].index?.update(key, from: before, to: after)
            }
            draft.settle(rules: rules, over: new, limits: limits, mayBuild: !isUnscanned)
            draft.setChild(key, from: child, to: changed)
            return draft.finish()
        }

        /// All below has changed: look through it at once if that is little, else leave it to a build.
        private func replace(
            _ place: Place?, rules: IndexRules.Place?, with new: Node, isUnscanned: Bool
        ) -> Place? {
            guard new.hasChildren else { return nil }
            let demanded = place?.slots.filter(\.isDemanded) ?? []
            guard rules != nil || !demanded.isEmpty else { return nil }
            var draft = Draft(nil)
            draft.slots = demanded.map { Slot(order: $0.order, isDemanded: true, index: nil) }
            draft.isUnscanned = true
            guard new.weight <= limits.inlineWeight, !isUnscanned else { return draft.finish() }
            return IndexTree.scan(draft.finish(), rules: rules, over: new, limits: limits)
        }
    }
}

extension IndexTree.Draft {
    /// Drops indexes of what has become small, and builds those of what has just become large enough.
    ///
    /// - Parameter mayBuild: false where a build has not been yet: there a large place may lack its
    ///   index.
    mutating func settle(
        rules: IndexRules.Place?, over node: Node, limits: IndexTree.Limits, mayBuild: Bool
    ) {
        if slots.isEmpty, rules?.orders.isEmpty ?? true { return }
        if node.childCount <= limits.childThreshold / 2 {
            slots = slots.filter(\.isDemanded).map { .init(order: $0.order, isDemanded: true, index: nil) }
            if !node.hasChildren { slots = [] }
        }
        guard mayBuild, node.childCount > limits.childThreshold else { return }
        for order in rules?.orders ?? [] where !slots.contains(where: { $0.order == order }) {
            slots.append(.init(order: order, isDemanded: false, index: nil))
        }
        for index in slots.indices where slots[index].index == nil {
            slots[index].index = OrderIndex(order: slots[index].order, over: node)
        }
    }
}
