// The value that `set`, `push` and `update` send: from a file, from the command line, or from standard input.

import HearthClient

/// Declares and reads where a value comes from.
enum ValueOptions {
    static let file = Operand.optional("FILE", "a file with JSON; - or nothing reads standard input")
    static let data = Option.value("data", "JSON", "the value itself instead of FILE")

    /// Calls `confirm`, then `send` with the body; a file is open already when `confirm` is called, so that
    /// nothing is asked in vain.
    static func withBody(
        _ invocation: Invocation, confirm: () throws(CommandFailure) -> Void = {},
        send: (RequestBody) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        if let text = invocation.value(of: data) {
            guard invocation.operand(1) == nil else { throw .misused("give either FILE or --data") }
            try confirm()
            return try send(.bytes(Array(text.utf8)))
        }
        let path = invocation.operand(1) ?? "-"
        let input = try InputFile.open(path)
        try confirm()
        if path == "-", invocation.console.inputIsTerminal {
            invocation.console.tell("type JSON, then Ctrl-D")
        }
        try send(input.body())
    }
}
