// What stands on the command line without dashes.

/// An operand of a command, such as the PATH of `get`.
struct Operand: Hashable, Sendable {
    /// What the help calls it, in capitals.
    let name: String
    /// What it is, without a full stop.
    let summary: String
    /// Whether the command works without it.
    let isOptional: Bool

    /// Declares an operand that must be given.
    static func required(_ name: String, _ summary: String) -> Operand {
        Operand(name: name, summary: summary, isOptional: false)
    }

    /// Declares an operand that may be left out; only other optional ones may follow it.
    static func optional(_ name: String, _ summary: String) -> Operand {
        Operand(name: name, summary: summary, isOptional: true)
    }
}
