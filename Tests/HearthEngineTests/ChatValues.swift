// Short spellings of paths, nodes and commits of the running example.
import HearthCore
import HearthEngine

func path(_ text: String) -> Path {
    do { return try Path(text) } catch { preconditionFailure("'\(text)' is no path: \(error)") }
}

func key(_ text: String) -> Key {
    do { return try Key(text) } catch { preconditionFailure("'\(text)' is no key: \(error)") }
}

func text(_ value: String) -> Node { Node(.string(value)) }

func number(_ value: Int64) -> Node { Node(.integer(value)) }

func object(_ children: [(String, Node)], priority: Priority = .none) -> Node {
    var builder = Node.Builder()
    for (name, child) in children { builder.insert(child, for: key(name)) }
    return builder.finish(priority: priority)
}

extension Write {
    static func set(_ place: String, _ node: Node) -> Write { .set(path(place), Draft(node)) }

    static func update(_ place: String, _ changes: [(String, Node)]) -> Write {
        .update(path(place), changes.map { (path($0.0), Draft($0.1)) })
    }
}

extension Database {
    /// Prepares and commits at the next position.
    @discardableResult
    mutating func perform(_ write: Write, now: Int64 = 1_000) throws(Refusal) -> Publication {
        let proposal = try prepare(write, now: now)
        return commit(proposal, at: newestPosition + 1)
    }
}
