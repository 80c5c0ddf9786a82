// Reads the words after a command's name, GNU style.

/// What the words after a command's name say: operands in their order, and the values of options.
struct ParsedArguments: Equatable, Sendable {
    /// What stood there without dashes.
    var operands: [String] = []
    /// Values by option name, in the order given; a flag has one empty value.
    var values: [String: [String]] = [:]
    /// Whether `--help` or `-h` stood among them; nothing was checked then.
    var asksForHelp = false

    /// Notes a value, unless the option may be given only once and was given before.
    mutating func add(_ value: String, for option: Option) throws(CommandFailure) {
        guard option.isRepeatable || values[option.name] == nil else {
            throw .misused("\(option.spelling) is given twice; it can have only one value")
        }
        values[option.name, default: []].append(value)
    }
}

/// Reads the arguments of one command.
///
/// `--name value`, `--name=value`, `-o value`, `-ovalue`; options and operands may be mixed; `--` ends the
/// options; `-` alone is an operand.
struct ArgumentParser {
    private let command: Command
    private var rest: ArraySlice<String>
    private var parsed = ParsedArguments()

    /// Parses `words`, which follow the command's name.
    static func parse(_ words: [String], of command: Command) throws(CommandFailure) -> ParsedArguments {
        if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return ParsedArguments(asksForHelp: true)
        }
        var parser = ArgumentParser(command: command, rest: words[...])
        try parser.takeAll()
        try parser.checkOperands()
        return parser.parsed
    }

    private mutating func takeAll() throws(CommandFailure) {
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2))
            } else if word.hasPrefix("-"), word.count > 1, !Self.isNumber(word) {
                try takeShort(word.dropFirst())
            } else {
                parsed.operands.append(word)
            }
        }
    }

    private mutating func takeLong(_ word: Substring) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.option(named: name) else { throw unknown("--\(name)") }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        try take(option, attached: attached)
    }

    private mutating func takeShort(_ word: Substring) throws(CommandFailure) {
        guard let letter = word.first, let option = command.options.first(where: { $0.letter == letter })
        else {
            throw unknown("-\(word)")
        }
        let attached = word.dropFirst()
        try take(option, attached: attached.isEmpty ? nil : String(attached))
    }

    private mutating func take(_ option: Option, attached: String?) throws(CommandFailure) {
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw .misused("\(option.spelling) takes no value") }
            return try parsed.add("", for: option)
        }
        if let attached { return try parsed.add(attached, for: option) }
        guard let next = rest.first else {
            throw .misused("\(option.spelling) needs a value: \(option.spelling) \(placeholder)")
        }
        guard !next.hasPrefix("--") else {
            throw .misused(
                "\(option.spelling) needs a value, but '\(next)' follows; "
                    + "if that is the value, write \(option.spelling)=\(next)")
        }
        rest.removeFirst()
        try parsed.add(next, for: option)
    }

    private func checkOperands() throws(CommandFailure) {
        let given = parsed.operands.count
        if given < command.operands.count, !command.operands[given].isOptional {
            throw .misused("\(command.operands[given].name) is missing; usage: \(command.usage)")
        }
        if given > command.operands.count {
            throw .misused(
                "'\(parsed.operands[command.operands.count])' is one operand too many; usage: "
                    + "\(command.usage)"
            )
        }
    }

    private func unknown(_ spelling: String) -> CommandFailure {
        var text = "unknown option '\(spelling)'"
        let names = command.options.map(\.spelling) + ["--help"]
        if let near = Suggestion.nearest(to: spelling, among: names) { text += "; did you mean '\(near)'?" }
        return .misused(text)
    }

    /// `-5` is a value, not a bundle of letters.
    private static func isNumber(_ word: String) -> Bool {
        word.dropFirst().first?.isASCIIDigit ?? false
    }
}

extension Character {
    /// Whether it is one of `0` to `9`.
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
