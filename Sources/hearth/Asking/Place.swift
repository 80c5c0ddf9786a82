// The PATH operand: a place in the tree.

import HearthClient

/// Reads places as people type them.
enum Place {
    static let operand = Operand.required("PATH", "a place in the tree, such as /rooms/lobby; / is all of it")

    /// The first operand as `/rooms/lobby`; one slash at the front, none at the end.
    ///
    /// What cannot be a key is left for the server to refuse, but for `.json`, which belongs to URLs.
    static func path(_ invocation: Invocation) throws(CommandFailure) -> String {
        let text = invocation.requiredOperand(0)
        guard !text.hasSuffix(".json") else {
            let place = text.dropLast(5)
            throw .misused("PATH is a place in the tree, without .json: \(place.isEmpty ? "/" : place)")
        }
        guard !text.contains("://") else {
            throw .misused("PATH is a place in the tree; the server is given with --url")
        }
        return "/" + text.split(separator: "/").joined(separator: "/")
    }
}
