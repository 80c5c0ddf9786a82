// `hearth export`: streams the value of a place from one consistent state.

import HearthClient
import HearthWire

/// Reads a value of any size with the same memory.
enum ExportCommand {
    private static let pretty = Option.flag("pretty", "lays the JSON out for people")
    private static let export = Option.flag("export", "shows priorities, so that an import brings them back")
    private static let output = Option.value(
        "output", "FILE", "writes to FILE, which appears only when it is complete", letter: "o")

    static let command = Command(
        name: "export", summary: "streams the value of a place from one consistent state while writes go on",
        operands: [Place.operand], options: [output, pretty, export] + ServerOptions.all, notes: [],
        examples: ["hearth export /rooms -o rooms.json --export"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        var query: [(name: String, value: String)] = []
        if invocation.has(pretty) { query.append(("print", "pretty")) }
        if invocation.has(export) { query.append(("format", "export")) }
        let target = RequestTarget(ofData: try Place.path(invocation), query: query)
        let client = try ServerOptions.client(invocation)
        let path = invocation.value(of: output)
        let file = try OutputFile(path)
        let isSilent = path == nil && invocation.console.outputIsTerminal
        var progress = isSilent ? nil : Progress("export", total: nil, on: invocation.console)
        defer { progress?.finish() }
        _ = try client.ask(ClientRequest(.get, target, patience: .seconds(600))) {
            (bytes: UnsafeRawBufferPointer) throws(ClientError) in
            try file.take(bytes)
            progress?.update(file.byteCount)
        }
        try file.endLine()
        try file.finish()
        guard let path else { return }
        progress?.finish()
        invocation.console.tell("exported \(Quantities.size(file.byteCount)) to \(path)")
    }
}
