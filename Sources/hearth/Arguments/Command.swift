// What a command is: its name, what it takes, what the help says, and what it does.

/// One command of the program.
struct Command: Sendable {
    /// The word that calls it.
    let name: String
    /// What it does, in half a sentence that begins with a verb in the third person.
    let summary: String
    let operands: [Operand]
    let options: [Option]
    /// Paragraphs of the help that stand below the options.
    let notes: [String]
    /// Lines that can be typed as they are.
    let examples: [String]
    /// What it does; talk goes to standard error, data to standard output.
    let run: @Sendable (Invocation) throws(CommandFailure) -> Void

    /// The option with that name, if the command has it.
    func option(named name: String) -> Option? {
        options.first { $0.name == name }
    }

    /// The first line of its help.
    var usage: String {
        let words = operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        return (["hearth", name] + words + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
    }
}
