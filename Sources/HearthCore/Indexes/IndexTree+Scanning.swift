// Looking through data for places that need an index and have none.

extension IndexTree {
    /// The indexes with all that the rules define and that were demanded, over a whole tree.
    ///
    /// - Complexity: O(n log n) in the children of places that lack an index, and O(n) in those of places
    ///   at which a `$wildcard` leads on to definitions. For a worker.
    func scanned(over node: Node, rules: IndexRules) -> IndexTree {
        var scanned = self
        scanned.root = IndexTree.scan(root, rules: rules.root, over: node, limits: limits)
        return scanned
    }

    /// Looks through a place where it is unscanned; the rest stays as it is.
    static func scan(_ place: Place?, rules: IndexRules.Place?, over node: Node, limits: Limits) -> Place? {
        guard let place, place.hasUnscanned else { return place }
        if place.isUnscanned { return scanAll(place, rules: rules, over: node, limits: limits) }
        var draft = Draft(place)
        for named in place.children.all where named.place.hasUnscanned {
            let child = node.child(named.key)
            let scanned = scan(named.place, rules: rules?.child(named.key), over: child, limits: limits)
            draft.setChild(named.key, from: named.place, to: scanned)
        }
        return draft.finish()
    }

    /// Looks through a place and all below it, and keeps what is there already and still wanted.
    private static func scanAll(
        _ place: Place?, rules: IndexRules.Place?, over node: Node, limits: Limits
    ) -> Place? {
        guard place != nil || rules != nil, node.hasChildren else { return nil }
        var draft = Draft(nil)
        let orders = rules?.orders ?? []
        draft.slots = place?.slots.filter { $0.isDemanded || orders.contains($0.order) } ?? []
        draft.settle(rules: rules, over: node, limits: limits, mayBuild: true)
        func scanChild(_ key: Key, _ child: Node) {
            let old = place?.child(key)
            let new = scanAll(old, rules: rules?.child(key), over: child, limits: limits)
            draft.setChild(key, from: nil, to: new)
        }
        if rules?.wildcard != nil {
            for entry in node.children() where entry.node.hasChildren { scanChild(entry.key, entry.node) }
        } else {
            for key in rules?.children.keys.map({ $0 }) ?? [] { scanChild(key, node.child(key)) }
            for named in place?.children.all ?? [] where rules?.children[named.key] == nil {
                scanChild(named.key, node.child(named.key))
            }
        }
        return draft.finish()
    }
}
