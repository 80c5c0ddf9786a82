// Which rules are asked, and in which order (security-rules.md §2 and §3). All functions tell whether the
// request is allowed so far; what is not is denied by then.
import HearthCore

extension Judge {
    mutating func read(_ path: Path, by root: RuleNode) -> Bool {
        begin(path)
        return isGranted(.read, by: root)
    }

    mutating func write(_ edits: [Edit], by root: RuleNode) -> Bool {
        edits.withUnsafeBufferPointer { edits in
            guard let first = edits.baseAddress else { return true }
            for index in 0..<edits.count where !write(first + index, by: root) { return false }
            return true
        }
    }

    /// - Parameter edit: looked at where it is kept, which counts fewer references.
    private mutating func write(_ edit: UnsafePointer<Edit>, by root: RuleNode) -> Bool {
        switch edit.pointee {
        case .put(let path, let node):
            begin(path, writing: node)
            return isGranted(.write, by: root) && isValid(andBelow: true, by: root)
        case .prioritize(let path, _):
            begin(path)
            return isGranted(.write, by: root) && isValid(andBelow: false, by: root)
        }
    }

    /// Looks for a rule on the way that is true.
    private mutating func isGranted(_ kind: RuleReference.Kind, by root: RuleNode) -> Bool {
        var node = Unmanaged.passUnretained(root)
        var last: Unmanaged<Rule>?
        var depth = 0
        while true {
            if let rule = node._withUnsafeGuaranteedRef({ $0.rule(kind) }) {
                seesQuery = depth == path.depth
                if rule._withUnsafeGuaranteedRef({ satisfies($0, at: depth) }) { return true }
                last = rule
            }
            guard let next = rules(below: node, at: depth) else { break }
            node = next
            depth += 1
        }
        return deny(path, for: last?.takeUnretainedValue())
    }

    /// Validates what would stand on the way.
    ///
    /// - Parameter andBelow: whether what stands below its end is new, too.
    private mutating func isValid(andBelow: Bool, by root: RuleNode) -> Bool {
        var node = Unmanaged.passUnretained(root)
        var depth = 0
        while true {
            guard node._withUnsafeGuaranteedRef({ isValidHere($0, at: depth) }) else { return false }
            guard depth < path.depth else {
                return !andBelow || node._withUnsafeGuaranteedRef { isValidBelow($0, at: depth) }
            }
            guard let next = rules(below: node, at: depth) else { return true }
            node = next
            depth += 1
        }
    }

    /// The rules of the next level on the way, nil at its end and where no rules stand.
    private mutating func rules(below node: Unmanaged<RuleNode>, at depth: Int) -> Unmanaged<RuleNode>? {
        if depth < ruleDepth { return levels[depth + 1].rules }
        guard depth < path.depth,
            let next = node._withUnsafeGuaranteedRef({ $0.child(path.keys[depth]) })
        else { return nil }
        ruleDepth = depth + 1
        levels[ruleDepth].rules = next
        return next
    }

    private mutating func isValidHere(_ node: RuleNode, at depth: Int) -> Bool {
        guard let rule = node.validate else { return true }
        reachNew(depth)
        if levels[depth].new.nature == .nothing { return true }
        return satisfies(rule, at: depth) || deny(Path(keys(to: depth)), for: rule)
    }

    /// Validates what was written below a place, which is the written one or below it.
    ///
    /// The recursion is as deep as the rules, which are bounded.
    private mutating func isValidBelow(_ node: RuleNode, at depth: Int) -> Bool {
        guard node.validatesBelow else { return true }
        reachNew(depth)
        guard levels[depth].new.nature == .children else { return true }
        if let members = newMembers(at: depth) { return areValid(members, node, at: depth) }
        if let wildcard = node.wildcard, wildcard.validates {
            for entry in levels[depth].new.node.children() {
                guard let below = node.child(entry.key) else { continue }
                descend(entry.key, to: entry.node, at: depth + 1)
                guard below._withUnsafeGuaranteedRef({ isValidHereAndBelow($0, at: depth + 1) }) else {
                    return false
                }
            }
            return true
        }
        return node.allValidatingLiterals { key, below in
            let child = levels[depth].new.node.child(key)
            if child.isEmpty { return true }
            descend(key, to: child, at: depth + 1)
            return isValidHereAndBelow(below, at: depth + 1)
        }
    }

    /// Validates the members of a written object where they lie.
    private mutating func areValid(
        _ members: UnsafeBufferPointer<PackedObject.Member>, _ node: RuleNode, at depth: Int
    ) -> Bool {
        usesMembers = true
        defer { usesMembers = false }
        let areValid = levels[depth].new.made.withPackedObject { object in
            for member in members {
                guard let below = node.child(object.name(of: member)) else { continue }
                descend(member, of: object, at: depth + 1)
                guard below._withUnsafeGuaranteedRef({ isValidHereAndBelow($0, at: depth + 1) }) else {
                    return false
                }
            }
            return true
        }
        guard let areValid else { preconditionFailure("only what is kept as text has such members") }
        return areValid
    }

    /// Validates a written child and what is below it.
    private mutating func isValidHereAndBelow(_ node: RuleNode, at depth: Int) -> Bool {
        guard node.validates else { return true }
        return isValidHere(node, at: depth) && isValidBelow(node, at: depth)
    }
}

extension Judge {
    mutating func file(_ kind: RuleReference.Kind, _ circumstances: Circumstances, by root: RuleNode) -> Bool
    {
        let nodes = Self.nodes(on: circumstances.names ?? [], from: root)
        var last: Rule?
        var isGranted = false
        for (depth, node) in nodes.enumerated() where !isGranted {
            guard let rule = kind == .read ? node.read : node.write else { continue }
            isGranted = satisfies(rule, at: depth)
            last = rule
        }
        guard isGranted else { return deny(.root, for: last) }
        if kind == .read || circumstances.files.request.size == nil { return true }
        for (depth, node) in nodes.enumerated() {
            guard let rule = node.validate, !satisfies(rule, at: depth) else { continue }
            return deny(.root, for: rule)
        }
        return true
    }

    /// The nodes on the way to the file, as far as there are rules; a name with a dot is no literal child.
    private static func nodes(on names: [String], from root: RuleNode) -> [RuleNode] {
        var nodes = [root]
        var node = root
        for name in names {
            let literal: RuleNode? = if case .one(let key) = Way(name) { node.literal(key) } else { nil }
            guard let next = literal ?? node.wildcard else { break }
            nodes.append(next)
            node = next
        }
        return nodes
    }
}
