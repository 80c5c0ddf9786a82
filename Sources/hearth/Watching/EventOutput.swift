// How an event is told: to a person, to a script, or to a command.

import Glibc
import HearthClient

/// Where the events of a watch go.
struct EventOutput {
    let console: Console
    /// Whether each event goes to standard output as one line of JSON.
    let isNDJSON: Bool
    /// A shell command that is run for each event, the event on its standard input.
    let shellCommand: String?

    /// Tells an event; `resync` stands before the events of a present state.
    func tell(_ event: StreamEvent) throws(CommandFailure) {
        if let shellCommand { runCommand(shellCommand, with: event.text) }
        if isNDJSON {
            try console.print(event.text)
        } else if shellCommand == nil {
            try console.print(EventOutput.line(event, inColor: console.outputTakesColor))
        }
    }

    /// Tells that what was known is void.
    func tellResync(cursor: String) throws(CommandFailure) {
        console.tell("resync: what was missed is not kept any more; the present state follows")
        let text = "{\"event\":\"resync\",\"cursor\":\"\(cursor)\"}"
        if let shellCommand { runCommand(shellCommand, with: text) }
        if isNDJSON { try console.print(text) }
    }

    /// `added    -Nb3… {"username":"bob"}`.
    static func line(_ event: StreamEvent, inColor: Bool) -> String {
        let word = event.kind.hasPrefix("child_") ? String(event.kind.dropFirst(6)) : event.kind
        var text = word.padded(to: 8)
        if inColor, let color = colors[word] { text = "\u{1b}[\(color)m\(text)\u{1b}[0m" }
        if let key = event.key { text += " " + key }
        if word == "moved" { text += event.previous.map { " behind \($0)" } ?? " to the front" }
        text += " " + event.data
        return inColor ? withoutControls(text) : text
    }

    private static let colors = [
        "added": "32", "changed": "33", "removed": "31", "moved": "36", "resync": "35",
    ]

    /// A terminal must not be steered by what somebody wrote into the database; our own colours stay.
    private static func withoutControls(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value == 0x7f || (0x80...0x9f).contains(scalar.value)
            shown.append(isControl ? "\u{fffd}" : scalar)
        }
        return String(shown)
    }

    private func runCommand(_ command: String, with text: String) {
        // The command must find broken pipes as a shell would give them.
        signal(SIGPIPE, SIG_DFL)
        let pipe = popen(command, "we")
        signal(SIGPIPE, SIG_IGN)
        guard let pipe else { return console.tell("cannot run '\(command)': \(systemMessage(errno))") }
        // A command that does not read all of its input is no failure.
        fputs(text + "\n", pipe)
        let status = pclose(pipe)
        if status != 0 { console.tell("'\(command)' ended with status \(EventOutput.exitStatus(status))") }
    }

    /// As a shell would tell it: the exit status, or 128 and the signal.
    private static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }
}
