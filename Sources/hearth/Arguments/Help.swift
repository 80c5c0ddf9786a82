// Lays out the help from the declarations.

/// The help texts; golden files in the tests hold them.
enum Help {
    private static let width = 96

    /// What `hearth help` prints.
    static func overview(of commands: [Command]) -> String {
        var lines = [
            "hearth: a realtime JSON tree database", "",
            "usage: hearth <command> [operands] [options]", "",
            "commands:",
        ]
        lines += table(commands.map { ($0.name, $0.summary) })
        lines += [
            "",
            "Where the server is: --url, or HEARTH_URL, or FIREBASE_DATABASE_EMULATOR_HOST; else"
                + " \(ServerOptions.defaultURL).",
            "Who asks: --token-file, HEARTH_TOKEN, or --admin-from with the server's data directory.",
            "Exit status: 0 done, 1 refused or failed, 2 wrong usage.", "",
            "'hearth help <command>' shows operands, options and an example.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// What `hearth help <command>` prints.
    static func text(of command: Command) -> String {
        var lines = ["usage: \(command.usage)", ""]
        lines += wrap("hearth \(command.name) \(command.summary).", indent: 0)
        if !command.operands.isEmpty {
            lines += ["", "operands:"] + table(command.operands.map { ($0.name, $0.summary) })
        }
        if !command.options.isEmpty {
            lines += ["", "options:"] + table(command.options.map { (spelling(of: $0), $0.summary) })
        }
        for note in command.notes { lines += [""] + wrap(note, indent: 0) }
        if !command.examples.isEmpty {
            lines += ["", command.examples.count == 1 ? "example:" : "examples:"]
            lines += command.examples.map { "  " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func spelling(of option: Option) -> String {
        var text = option.letter.map { "-\($0), " } ?? ""
        text += option.spelling
        if let placeholder = option.placeholder { text += " " + placeholder }
        return text
    }

    /// Two columns; the second begins where the longest name of at most 26 letters ends, and wraps.
    private static func table(_ rows: [(name: String, text: String)]) -> [String] {
        let column = min(rows.map(\.name.count).max() ?? 0, 26) + 4
        var lines: [String] = []
        for row in rows {
            var wrapped = wrap(row.text, indent: column)
            if row.name.count + 4 <= column {
                wrapped[0] = "  " + row.name.padded(to: column - 2) + wrapped[0].dropFirst(column)
            } else {
                lines.append("  " + row.name)
            }
            lines += wrapped
        }
        return lines
    }

    private static func wrap(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
            }
            if line.count > indent { line += " " }
            line += word
        }
        return lines + [line]
    }
}

extension String {
    /// The text with spaces behind it up to `count` characters.
    func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
