// A draft as JSON that `DraftReader` reads as the same draft again.
import HearthJSON

extension JSONWriter {
    /// Writes a draft with `.value`, `.priority` and `.sv` where they are needed, arrays never.
    ///
    /// - Complexity: O(size · depth).
    mutating func draft(_ draft: Draft) {
        DraftText(draft).append(draft.node, at: .root, to: &self)
    }

    /// Writes a priority as a client sends it.
    mutating func priority(_ priority: Draft.Placeholder.Resolution) {
        switch priority {
        case .serverValue(let value): serverValue(value)
        case .known(.none): null()
        case .known(.number(let number)): double(number)
        case .known(.string(let text)): string(text)
        }
    }

    fileprivate mutating func serverValue(_ value: ServerValue) {
        beginObject()
        key(".sv")
        switch value {
        case .timestamp: string("timestamp")
        case .increment(let delta):
            beginObject()
            key("increment")
            leaf(delta)
            endObject()
        }
        endObject()
    }

    fileprivate mutating func leaf(_ leaf: Leaf) {
        switch leaf {
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let text): string(text)
        }
    }
}

/// A draft on its way to text.
private struct DraftText {
    private var values: [Path: ServerValue] = [:]
    private var priorities: [Path: ServerValue] = [:]

    init(_ draft: Draft) {
        for placeholder in draft.placeholders {
            switch placeholder.target {
            case .value: values[placeholder.path] = placeholder.serverValue
            case .priority: priorities[placeholder.path] = placeholder.serverValue
            }
        }
    }

    /// The depth of a draft is bounded by that of the tree.
    func append(_ node: Node, at path: Path, to writer: inout JSONWriter) {
        guard !node.isEmpty else { return writer.null() }
        let priority = priorities[path].map(Draft.Placeholder.Resolution.serverValue) ?? .known(node.priority)
        guard let leaf = node.leaf else {
            writer.beginObject()
            for child in node.children() {
                writer.key(child.key.text)
                append(child.node, at: path.appending(child.key), to: &writer)
            }
            append(priority, to: &writer)
            writer.endObject()
            return
        }
        guard priority != .known(.none) else { return append(leaf, values[path], to: &writer) }
        writer.beginObject()
        writer.key(".value")
        append(leaf, values[path], to: &writer)
        append(priority, to: &writer)
        writer.endObject()
    }

    private func append(_ leaf: Leaf, _ value: ServerValue?, to writer: inout JSONWriter) {
        if let value { writer.serverValue(value) } else { writer.leaf(leaf) }
    }

    private func append(_ priority: Draft.Placeholder.Resolution, to writer: inout JSONWriter) {
        guard priority != .known(.none) else { return }
        writer.key(".priority")
        writer.priority(priority)
    }
}
