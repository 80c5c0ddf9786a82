// `hearth help`: what the program can do, and how.

/// Prints the overview or the help of one command.
enum HelpCommand {
    static let command = Command(
        name: "help", summary: "shows what there is, or how one command is used",
        operands: [.optional("COMMAND", "the command to explain")], options: [], notes: [],
        examples: ["hearth help watch"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        guard let name = invocation.operand(0) else {
            return try invocation.console.printBytes(Array(Help.overview(of: Program.commands).utf8))
        }
        let command = try Program.command(named: name)
        try invocation.console.printBytes(Array(Help.text(of: command).utf8))
    }
}
