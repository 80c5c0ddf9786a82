// One option of a command: declared once, used for reading the arguments and for the help.

/// An option as it is written on the command line, `--name value` or `--name=value`; a flag has no value.
struct Option: Hashable, Sendable {
    /// The name without dashes.
    let name: String
    /// What the help calls the value, in capitals; nil for a flag.
    let placeholder: String?
    /// What it is for, without a full stop; the help breaks the line.
    let summary: String
    /// One letter that means the same after a single dash.
    let letter: Character?
    /// Whether it may be given more than once.
    let isRepeatable: Bool

    /// Declares a flag.
    static func flag(_ name: String, _ summary: String) -> Option {
        Option(name: name, placeholder: nil, summary: summary, letter: nil, isRepeatable: false)
    }

    /// Declares an option with a value.
    static func value(
        _ name: String, _ placeholder: String, _ summary: String, letter: Character? = nil,
        isRepeatable: Bool = false
    ) -> Option {
        Option(
            name: name, placeholder: placeholder, summary: summary, letter: letter, isRepeatable: isRepeatable
        )
    }

    /// How the option is shown in messages.
    var spelling: String { "--\(name)" }
}
