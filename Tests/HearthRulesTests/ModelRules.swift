// A tree of random rules, with a second walk over it that takes security-rules.md §2 and §3 by the word.
import Foundation
import HearthTesting

/// The rules of a place and those below.
indirect enum ModelRules {
    case node(rules: [String: ModelCondition], children: [String: ModelRules])

    /// What came of a rule that was asked: its kind and place, and whether it was true; nil if it failed.
    struct Asked: Equatable {
        let rule: String
        let truth: Bool?
    }

    var source: String {
        guard case .node(let rules, let children) = self else { return "" }
        let members =
            rules.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\(Self.source(of: $0.value, $0.key))\"" }
            + children.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.source)" }
        return "{\(members.joined(separator: ","))}"
    }

    /// Rules of reads know no new data.
    private static func source(of rule: ModelCondition, _ kind: String) -> String {
        kind == ".read" ? rule.source.replacingOccurrences(of: "newData", with: "data") : rule.source
    }

    func rule(_ kind: String) -> ModelCondition? {
        guard case .node(let rules, _) = self else { return nil }
        return rules[kind]
    }

    /// What holds for a child, and its name in the rules.
    func child(_ name: String) -> (name: String, rules: ModelRules)? {
        guard case .node(_, let children) = self else { return nil }
        if let child = children[name] { return (name, child) }
        return children.first { $0.key.hasPrefix("$") }.map { ($0.key, $0.value) }
    }
}

/// Asks rules as the specification says, and notes them.
struct ModelWalk {
    let rules: ModelRules
    var context: ModelContext
    private(set) var asked: [ModelRules.Asked] = []

    init(_ rules: ModelRules, _ context: ModelContext) {
        self.rules = rules
        self.context = context
    }

    /// The rules on the way, as far as there are any, each with its place.
    private func way(_ path: [String]) -> [(place: String, rules: ModelRules)] {
        var way = [(place: "", rules: rules)]
        for name in path {
            guard let last = way.last, let child = last.rules.child(name) else { break }
            way.append((last.place + "/" + child.name, child.rules))
        }
        return way
    }

    private mutating func isTrue(_ kind: String, _ place: String, _ rules: ModelRules, at path: [String])
        -> Bool?
    {
        guard let rule = rules.rule(kind) else { return nil }
        context.path = path
        let truth = try? rule.isTrue(context)  // a failure is one of three outcomes
        asked.append(ModelRules.Asked(rule: "\(kind) \(place.isEmpty ? "/" : place)", truth: truth))
        return truth ?? false
    }

    private mutating func isGranted(_ kind: String, _ path: [String]) -> Bool {
        for (depth, step) in way(path).enumerated()
        where isTrue(kind, step.place, step.rules, at: Array(path.prefix(depth))) == true {
            return true
        }
        return false
    }

    mutating func mayRead(_ path: [String]) -> Bool { isGranted(".read", path) }

    mutating func mayWrite(_ edits: [(path: [String], tree: ModelTree)]) -> Bool {
        for edit in edits {
            guard isGranted(".write", edit.path) else { return false }
            let way = way(edit.path)
            for (depth, step) in way.enumerated() {
                let here = Array(edit.path.prefix(depth))
                guard isValid(step.place, step.rules, at: here) else { return false }
            }
            guard let last = way.last, way.count == edit.path.count + 1 else { continue }
            guard isValidBelow(last.place, last.rules, at: edit.path, edit.tree) else { return false }
        }
        return true
    }

    private mutating func isValid(_ place: String, _ rules: ModelRules, at path: [String]) -> Bool {
        context.new.child(path).value == .null || isTrue(".validate", place, rules, at: path) != false
    }

    private mutating func isValidBelow(
        _ place: String, _ rules: ModelRules, at path: [String], _ tree: ModelTree
    ) -> Bool {
        guard case .children(let children) = tree else { return true }
        for (name, child) in children.sorted(by: { $0.key < $1.key }) {
            guard let below = rules.child(name) else { continue }
            let there = (place: place + "/" + below.name, path: path + [name])
            guard isValid(there.place, below.rules, at: there.path),
                isValidBelow(there.place, below.rules, at: there.path, child)
            else { return false }
        }
        return true
    }
}

extension ModelTree {
    /// The tree with another one in the place of what stands at `path`.
    func setting(_ tree: ModelTree, at path: [String]) -> ModelTree {
        guard let first = path.first else { return tree }
        // Nothing is removed where nothing is: what stands above may be a leaf.
        if tree.value == .null, child(path).value == .null { return self }
        var children: [String: ModelTree] = [:]
        if case .children(let known) = self { children = known }
        let child = (children[first] ?? .nothing).setting(tree, at: Array(path.dropFirst()))
        children[first] = child.value == .null ? nil : child
        return .children(children)
    }
}

extension RandomExpressions {
    /// Rules of some levels; the first one has the wildcard that expressions name.
    mutating func rules(depth: Int) -> ModelRules {
        .node(rules: [:], children: ["$key": node(depth: depth - 1)])
    }

    private mutating func node(depth: Int) -> ModelRules {
        var rules: [String: ModelCondition] = [:]
        for kind in [".read", ".write", ".validate"] where random.oneIn(2) {
            // Without some that hold, hardly a write would get past its grant.
            rules[kind] = random.oneIn(2) ? .literal(!random.oneIn(5)) : condition(depth: 2)
        }
        var children: [String: ModelRules] = [:]
        guard depth > 0 else { return .node(rules: rules, children: [:]) }
        for name in ["a", "b", "$\(depth)"] where random.oneIn(2) { children[name] = node(depth: depth - 1) }
        return .node(rules: rules, children: children)
    }

    /// A place of up to some levels.
    mutating func path(depth: Int) -> [String] {
        (0..<Int.random(in: 1...depth, using: &random)).map { _ in pick(["a", "b", "c"]) }
    }
}
