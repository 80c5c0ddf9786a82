// The place that a path of the realtime protocol names.
public import HearthCore

/// What a path names. Source: wire-protocol.md §5, §13.
public enum RealtimePlace: Hashable, Sendable {
    /// A node.
    case node(Path)
    /// The priority of a node.
    case priority(Path)
    /// Something below `/.info`, which clients make up themselves: there is nothing in the tree.
    case connection

    /// Reads a path. It is not percent-encoded; empty parts do not count, also the one before a leading
    /// slash.
    ///
    /// - Throws: the reason why a part is no key, or why the path is too long.
    init(_ text: String) throws(RealtimeRefusal) {
        var parts = text.utf8.split(separator: UInt8(ascii: "/"))
        if let first = parts.first, first.elementsEqual(".info".utf8) {
            self = .connection
            return
        }
        let isPriority = parts.last.map { $0.elementsEqual(".priority".utf8) } ?? false
        if isPriority { parts.removeLast() }
        guard parts.count <= Path.depthLimit else {
            throw RealtimeRefusal(.invalidData, "Invalid path: it has more than \(Path.depthLimit) levels")
        }
        do throws(KeyError) {
            var keys: [Key] = []
            for part in parts { keys.append(try Key(String(part) ?? "")) }
            let path = Path(keys)
            self = isPriority ? .priority(path) : .node(path)
        } catch {
            throw RealtimeRefusal(.invalidData, "Invalid path: \(error)")
        }
    }
}
