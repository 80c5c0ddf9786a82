// `hearth version`: which program this is and which files it reads.

import HearthStorage

/// Prints name, version and format versions.
enum VersionCommand {
    static let command = Command(
        name: "version", summary: "prints the version and the versions of the file formats", operands: [],
        options: [], notes: [], examples: ["hearth version"], run: run)

    /// What is printed.
    static let text =
        "hearth 0.1.0 (formats: journal \(FormatVersion.current), checkpoint \(FormatVersion.current))"

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        try invocation.console.print(text)
    }
}
