// `hearth push`: adds a child under a new push ID.

import HearthClient
import HearthJSON
import HearthWire

/// Adds to a list.
enum PushCommand {
    static let command = Command(
        name: "push", summary: "adds a child under a new push ID and prints its path",
        operands: [Place.operand, ValueOptions.file], options: [ValueOptions.data] + ServerOptions.all,
        notes: [],
        examples: ["hearth push /rooms/lobby/messages --data '{\"username\":\"bob\",\"message\":\"hi\"}'"],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        let client = try ServerOptions.client(invocation)
        try ValueOptions.withBody(
            invocation,
            send: { (body: RequestBody) throws(CommandFailure) in
                let request = ClientRequest(
                    .post, RequestTarget(ofData: path), body: body, patience: .seconds(600))
                let answer = try client.text(request)
                guard let name = name(in: answer) else {
                    throw .failed("\(client.address) did not tell the new key; check the address")
                }
                try invocation.console.print(path == "/" ? "/" + name : path + "/" + name)
            })
    }

    /// The `name` member of `{"name":"-N…"}`.
    private static func name(in answer: String) -> String? {
        Array(answer.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader()
            // An answer that is no JSON has no such member, which the caller reports.
            return (try? name(in: bytes, &reader)) ?? nil
        }
    }

    private static func name(
        in bytes: UnsafeRawBufferPointer, _ reader: inout JSONReader
    ) throws(JSONError) -> String? {
        guard try reader.next(in: bytes, isFinal: true) == .beginObject,
            case .key(let key) = try reader.next(in: bytes, isFinal: true), key.says("name", in: bytes),
            case .string(let text) = try reader.next(in: bytes, isFinal: true)
        else { return nil }
        return text.string(in: bytes)
    }
}
