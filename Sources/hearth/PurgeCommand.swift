// `hearth purge`: makes removed data go for good.

import HearthClient
import HearthWire

/// Asks the server for a checkpoint and the end of what lies before it.
enum PurgeCommand {
    private static let force = Option.flag("force", "drops the history without asking")

    static let command = Command(
        name: "purge", summary: "drops history and old segments now, after a checkpoint", operands: [],
        options: [force] + ServerOptions.all.filter { $0 != ServerOptions.namespace },
        notes: [
            "It needs the administrator's token. Streams that are behind get the present state "
                + "instead of what they "
                + "missed. Backups are yours to remove."
        ],
        examples: ["hearth purge --admin-from hearth-data"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let client = try ServerOptions.client(invocation)
        if !invocation.has(force) {
            try invocation.console.confirm(
                "Drop the history of all databases?", otherwise: "dropping the history needs a yes")
        }
        let target = RequestTarget(path: "/.settings/purge.json")
        _ = try client.ask(ClientRequest(.post, target, body: .bytes([]), patience: .seconds(3_600)))
        invocation.console.tell("history and old segments are gone")
    }
}
