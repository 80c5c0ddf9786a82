// The file that `serve --config` reads: options of the command, one a line.

/// Reads `name = value` lines into option values.
///
/// Empty lines and lines that begin with `#` do not count. A flag is `name = true` or `name = false`. What
/// the command line says wins over the file.
enum ConfigurationFile {
    /// Returns the values of `text`, whose lines are named `file:line` in errors.
    static func parse(
        _ text: String, named file: String, for command: Command
    ) throws(CommandFailure) -> [String: [String]] {
        var parsed = ParsedArguments()
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = line.trimmed
            guard !content.isEmpty, content.first != "#" else { continue }
            do throws(CommandFailure) {
                try take(content, into: &parsed, for: command)
            } catch {
                throw .misused("\(file):\(index + 1): \(error.message ?? "")")
            }
        }
        return parsed.values
    }

    private static func take(
        _ line: Substring, into parsed: inout ParsedArguments, for command: Command
    ) throws(CommandFailure) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .misused("expected 'name = value', found '\(line)'") }
        let name = String(parts[0].trimmed)
        let value = String(parts[1].trimmed)
        guard let option = command.option(named: name), name != "config" else {
            let near = Suggestion.nearest(to: name, among: command.options.map(\.name))
            throw .misused("unknown option '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
        }
        guard option.placeholder == nil else {
            guard !value.isEmpty else { throw .misused("\(name) has no value") }
            return try parsed.add(value, for: option)
        }
        switch value {
        case "true": try parsed.add("", for: option)
        case "false": return
        default: throw .misused("\(name) is true or false, not '\(value)'")
        }
    }
}

extension StringProtocol {
    /// The text without white space at both ends.
    var trimmed: SubSequence {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
