// Nodes written down as JSON, as tests like to have them.
import HearthCore

/// The node that `text` says.
func node(_ text: String) throws -> Node {
    try DraftReader.draft(Array(text.utf8)).node
}

/// The text of `node`, priorities included.
func text(_ node: Node, _ format: NodeSerializer.Format = .export) -> String {
    String(decoding: NodeSerializer.bytes(of: node, format), as: UTF8.self)
}

/// The path that `text` says; the test's own texts are all well formed.
func path(_ text: String) throws -> Path {
    try Path(text)
}
