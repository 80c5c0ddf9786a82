// Indexes that a query asks for although no rule defines them.

extension IndexTree {
    /// How many indexes may be demanded of one place.
    private static let demandLimit = 4

    /// Keeps an index of a place from now on, built at once if the place is small, else by the next
    /// build.
    ///
    /// Nothing happens where the place has too few children for an index to pay, has it already, or has as
    /// many demanded ones as are allowed: each makes every write there dearer.
    func demanding(_ order: Query.Order, at path: Path, over node: Node) -> IndexTree {
        var demanded = self
        demanded.root = demand(order, in: root, keys: path.keys[...], over: node)
        return demanded
    }

    private func demand(
        _ order: Query.Order, in place: Place?, keys: ArraySlice<Key>, over node: Node
    ) -> Place? {
        guard let key = keys.first else { return demand(order, in: place, over: node) }
        let child = place?.child(key)
        let changed = demand(order, in: child, keys: keys.dropFirst(), over: node.child(key))
        if changed === child { return place }
        var draft = Draft(place)
        draft.setChild(key, from: child, to: changed)
        return draft.finish()
    }

    private func demand(_ order: Query.Order, in place: Place?, over node: Node) -> Place? {
        guard node.childCount > limits.childThreshold else { return place }
        let slots = place?.slots ?? []
        guard !slots.contains(where: { $0.order == order }) else { return place }
        guard slots.filter(\.isDemanded).count < Self.demandLimit else { return place }
        var draft = Draft(place)
        let isSmall = node.weight <= limits.inlineWeight
        let index = isSmall ? OrderIndex(order: order, over: node) : nil
        draft.slots.append(Slot(order: order, isDemanded: true, index: index))
        if !isSmall { draft.isUnscanned = true }
        return draft.finish()
    }
}
