// The way down that a judge has gone, and what he has seen on it.
import HearthCore

extension Judge {
    /// A level of the way from the root down to the present place.
    struct Level {
        /// What leads here from the level above, below the place that is asked for: a key, or a name.
        var key: Key?
        var name: PackedObject.Name?
        /// What stands here before the write, once it was looked up.
        private(set) var old = Node.empty
        private(set) var knowsOld = false
        /// What stands here after it.
        var new = Spot()
        /// What holds here, as far as it was looked up.
        var rules: Unmanaged<RuleNode>?
        /// Whether a reference may be counted for what is here.
        private var holdsOld = false

        mutating func put(old node: Node) {
            old = node
            knowsOld = true
            holdsOld = true
        }

        /// What stands here is looked up when it is asked for.
        mutating func forget() {
            knowsOld = false
            new.forget()
        }

        /// Lets go of all levels; most hold nothing.
        static func release(_ levels: UnsafeMutableBufferPointer<Level>) {
            guard let first = levels.baseAddress else { return }
            for depth in 0..<levels.count {
                let level = first + depth
                if level.pointee.holdsOld || level.pointee.new.holds || level.pointee.key != nil {
                    level.deinitialize(count: 1)
                }
            }
        }
    }

    /// A place of the new state, with what is asked of it again and again.
    struct Spot {
        /// Whether it was looked up.
        private(set) var isKnown = false
        private(set) var nature = Node.Nature.nothing
        /// The node, unless this is a leaf that nobody has wanted as one yet.
        private(set) var made = Node.empty
        /// A leaf where it lies.
        private var value: PackedObject.Value?
        private var isMade = true
        /// Whether a reference may be counted for the node.
        private(set) var holds = false

        mutating func put(_ node: Node) {
            made = node
            holds = true
            nature = node.nature
            settle(nil)
        }

        mutating func put(_ value: PackedObject.Value) {
            nature = value.nature
            settle(value)
        }

        @inline(__always)
        private mutating func settle(_ value: PackedObject.Value?) {
            self.value = value
            isMade = value == nil
            isKnown = true
        }

        mutating func forget() {
            isKnown = false
        }

        var node: Node {
            mutating get {
                if !isMade, let value {
                    made = value.node
                    isMade = true
                    holds = true
                }
                return made
            }
        }

        /// The text where it lies, if it stands there as it is.
        var plainText: UnsafeRawBufferPointer? { value?.plainText }
    }
}

extension Judge {
    /// Begins at the root, on the way to a place.
    mutating func begin(_ path: Path) {
        forget(from: 0)
        memberDepth = -1
        ruleDepth = 0
        self.path = path
        endDepth = path.depth < levelCount ? path.depth : -1
    }

    /// The same when all is known that is written there.
    mutating func begin(_ path: Path, writing node: Node) {
        assert(after.pointee.descendant(at: path) == node, "what is put stands there afterwards")
        begin(path)
        if path.depth < levelCount { levels[path.depth].new.put(node) }
    }

    private func forget(from depth: Int) {
        var depth = depth
        while depth < levelCount {
            levels[depth].forget()
            depth += 1
        }
    }

    /// Goes down to a child, to what stands there in the new state.
    mutating func descend(_ key: Key, to node: Node, at depth: Int) {
        levels[depth].key = key
        levels[depth].forget()
        levels[depth].new.put(node)
        settle(at: depth)
    }

    /// The same for a member of an object where it lies.
    mutating func descend(_ member: PackedObject.Member, of object: PackedObject, at depth: Int) {
        let level = levels + depth
        if level.pointee.key != nil { level.pointee.key = nil }
        level.pointee.name = object.name(of: member)
        level.pointee.forget()
        if let value = object.value(of: member) {
            level.pointee.new.put(value)
        } else {
            level.pointee.new.put(object.node(of: member))
        }
        settle(at: depth)
    }

    private mutating func settle(at depth: Int) {
        forget(from: depth + 1)
        if memberDepth >= depth { memberDepth = -1 }
    }

    /// The key that leads to a depth, which is not 0.
    func key(to depth: Int) -> Key {
        if depth <= path.depth { return path.keys[depth - 1] }
        if let key = levels[depth].key { return key }
        guard let name = levels[depth].name else { preconditionFailure("no rule stands beside the way") }
        return name.key
    }

    /// The way to a depth.
    func keys(to depth: Int) -> [Key] {
        (0..<depth).map { key(to: $0 + 1) }
    }

    /// Looks up what stands in the old state where the first `depth` keys lead, unless that was done.
    @inline(__always)
    mutating func reachOld(_ depth: Int) {
        if !levels[depth].knowsOld { lookUpOld(depth) }
    }

    /// Looks up what stands in the new state where the first `depth` keys lead, unless that was done.
    @inline(__always)
    mutating func reachNew(_ depth: Int) {
        if !levels[depth].new.isKnown { lookUpNew(depth) }
    }

    private mutating func lookUpOld(_ depth: Int) {
        if depth == endDepth {
            levels[depth].put(old: context.pointee.root.descendant(at: path))
        } else if depth == 0 {
            levels[0].put(old: context.pointee.root)
        } else {
            reachOld(depth - 1)
            levels[depth].put(old: levels[depth - 1].old.child(key(to: depth)))
        }
    }

    private mutating func lookUpNew(_ depth: Int) {
        if depth == endDepth {
            levels[depth].new.put(after.pointee.descendant(at: path))
        } else if depth == 0 {
            levels[0].new.put(after.pointee)
        } else {
            reachNew(depth - 1)
            levels[depth].new.put(levels[depth - 1].new.node.child(key(to: depth)))
        }
    }

    /// Finds the members of the new object at a depth, if it is small; nil if it is not, or if they are in
    /// use for another one above.
    mutating func newMembers(at depth: Int) -> UnsafeBufferPointer<PackedObject.Member>? {
        if memberDepth != depth {
            guard !usesMembers, levels[depth].new.nature == .children,
                let count = levels[depth].new.made.findPackedMembers(members)
            else { return nil }
            memberDepth = depth
            memberCount = count
        }
        return UnsafeBufferPointer(start: members.baseAddress, count: memberCount)
    }
}
