// `hearth remove`: deletes a place.

import HearthClient
import HearthWire

/// Deletes, and asks before.
enum RemoveCommand {
    private static let force = Option.flag("force", "removes without asking")

    static let command = Command(
        name: "remove", summary: "deletes a place with everything below it", operands: [Place.operand],
        options: [force] + ServerOptions.all, notes: [], examples: ["hearth remove /rooms/attic"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        let client = try ServerOptions.client(invocation)
        if !invocation.has(force) {
            try invocation.console.confirm(
                "Remove \(path) with everything below it?", otherwise: "removing \(path) needs a yes")
        }
        _ = try client.ask(ClientRequest(.delete, RequestTarget(ofData: path), patience: .seconds(600)))
        invocation.console.tell("removed \(path)")
    }
}
