// `hearth set`: replaces the value of a place.

import HearthClient
import HearthWire

/// Replaces, and asks before anything is lost.
enum SetCommand {
    private static let force = Option.flag("force", "overwrites without asking")

    static let command = Command(
        name: "set", summary: "replaces the value of a place", operands: [Place.operand, ValueOptions.file],
        options: [ValueOptions.data, force] + ServerOptions.all,
        notes: [
            "It asks before it overwrites a value. Should that value change meanwhile, nothing is written."
        ],
        examples: [
            "hearth set /rooms/lobby/topic --data '\"hello\"'", "hearth set /rooms/lobby lobby.json --force",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        let client = try ServerOptions.client(invocation)
        var headers: [(name: String, value: String)] = []
        try ValueOptions.withBody(invocation) { () throws(CommandFailure) in
            guard !invocation.has(force) else { return }
            let tag = try confirmOverwriting(path, client, invocation)
            if let tag { headers.append(("if-match", tag)) }
        } send: { (body: RequestBody) throws(CommandFailure) in
            try put(body, path, headers, client)
        }
        invocation.console.tell("set \(path)")
    }

    private static func put(
        _ body: RequestBody, _ path: String, _ headers: [(name: String, value: String)], _ client: Client
    ) throws(CommandFailure) {
        // A conditional write answers with the value, so that silence is asked for only without a condition.
        let query = headers.isEmpty ? [(name: "print", value: "silent")] : []
        let target = RequestTarget(ofData: path, query: query)
        do throws(ClientError) {
            _ = try client.perform(
                ClientRequest(.put, target, headers: headers, body: body, patience: .seconds(600))
            ) { (_: UnsafeRawBufferPointer) throws(ClientError) in }
        } catch {
            guard case .refused(let refusal) = error, refusal.status == 412 else {
                throw CommandFailure(error)
            }
            throw .failed("\(path) was changed meanwhile; nothing was written. Look at it and try again")
        }
    }

    /// Returns the tag of what may be overwritten, nil if the server tells none.
    private static func confirmOverwriting(
        _ path: String, _ client: Client, _ invocation: Invocation
    ) throws(CommandFailure) -> String? {
        let request = ClientRequest(
            .get, RequestTarget(ofData: path, query: [("shallow", "true")]),
            headers: [("X-Firebase-ETag", "true")])
        var start: [UInt8] = []
        let answer = try client.ask(request) { (bytes: UnsafeRawBufferPointer) throws(ClientError) in
            start += bytes.prefix(8 - min(8, start.count))
        }
        if !start.starts(with: Array("null".utf8)) {
            try invocation.console.confirm(
                "\(path) holds a value. Overwrite it?", otherwise: "\(path) holds a value")
        }
        return answer.entityTag
    }
}
