// `hearth get`: prints the value of a place.

import HearthClient
import HearthWire

/// Reads once.
enum GetCommand {
    private static let pretty = Option.flag("pretty", "lays the JSON out for people")
    private static let shallow = Option.flag("shallow", "tells only the keys, each with true")
    private static let export = Option.flag("export", "shows priorities")
    private static let output = Option.value(
        "output", "FILE", "writes to FILE, which appears only when it is complete", letter: "o")

    static let command = Command(
        name: "get", summary: "prints the value of a place", operands: [Place.operand],
        options: [pretty, shallow, export, output] + QueryOptions.all + ServerOptions.all,
        notes: [QueryOptions.note],
        examples: [
            "hearth get /rooms/lobby --pretty",
            "hearth get /rooms/lobby/messages --order-by-key --limit-to-last 50",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        var query = try QueryOptions.parameters(invocation)
        if invocation.has(pretty) { query.append(("print", "pretty")) }
        if invocation.has(shallow) { query.append(("shallow", "true")) }
        if invocation.has(export) { query.append(("format", "export")) }
        let target = RequestTarget(ofData: try Place.path(invocation), query: query)
        let client = try ServerOptions.client(invocation)
        let file = try OutputFile(invocation.value(of: output))
        _ = try client.ask(ClientRequest(.get, target), into: file.take)
        try file.endLine()
        try file.finish()
    }
}
