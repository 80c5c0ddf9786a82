// `hearth update`: merges children into a place.

import HearthClient
import HearthWire

/// Writes several children at once and leaves the others.
enum UpdateCommand {
    static let command = Command(
        name: "update", summary: "merges children into a place, several paths at once",
        operands: [Place.operand, ValueOptions.file], options: [ValueOptions.data] + ServerOptions.all,
        notes: [
            "The JSON is an object. A key may be a path; what it names is replaced as a whole, null "
                + "removes it. "
                + "All of it happens or nothing."
        ],
        examples: ["hearth update /rooms --data '{\"lobby/topic\":\"hello\",\"attic\":null}'"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        let client = try ServerOptions.client(invocation)
        let target = RequestTarget(ofData: path, query: [("print", "silent")])
        try ValueOptions.withBody(
            invocation,
            send: { (body: RequestBody) throws(CommandFailure) in
                _ = try client.ask(ClientRequest(.patch, target, body: body, patience: .seconds(600)))
            })
        invocation.console.tell("updated \(path)")
    }
}
