// One line on the terminal that tells how far a long transfer is.

/// Shows bytes, rate and time left on standard error, at most five times a second, and only on a terminal.
struct Progress {
    private let console: Console
    private let label: String
    private let total: Int?
    private let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?
    private var shownWidth = 0

    /// Begins at nothing; `total` in bytes is nil where the end is not known.
    init(_ label: String, total: Int?, on console: Console) {
        self.label = label
        self.total = total
        self.console = console
    }

    /// Takes note that `done` bytes have gone.
    mutating func update(_ done: Int) {
        guard console.errorIsTerminal else { return }
        let now = ContinuousClock.now
        if let lastShown, lastShown.duration(to: now) < .milliseconds(200), done != total { return }
        lastShown = now
        show(Progress.line(label, done: done, total: total, elapsed: start.duration(to: now)))
    }

    /// Leaves the line for other talk.
    mutating func finish() {
        guard shownWidth > 0 else { return }
        console.tellWithoutLineEnd("\r" + String(repeating: " ", count: shownWidth) + "\r")
        shownWidth = 0
    }

    private mutating func show(_ line: String) {
        console.tellWithoutLineEnd("\r" + line.padded(to: shownWidth))
        shownWidth = line.count
    }

    /// `import 52 MB of 103 MB (50 %), 26 MB/s, 2 s left`.
    static func line(_ label: String, done: Int, total: Int?, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var text = "\(label) \(Quantities.size(done))"
        if let total, total > 0 {
            text += " of \(Quantities.size(total)) (\(done * 100 / total) %)"
        }
        guard seconds >= 0.5, rate >= 1 else { return text }
        text += ", \(Quantities.size(Int(rate)))/s"
        if let total, total > done {
            text += ", \(Quantities.time(seconds: Int((Double(total - done) / rate).rounded(.up)))) left"
        }
        return text
    }
}
