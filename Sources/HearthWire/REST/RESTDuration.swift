// Durations as parameters: `500ms`, `30s`, `1min`.

extension Duration {
    /// Reads a whole number with one of the units `ms`, `s` and `min`; nil for anything else.
    init?(parameter text: String) {
        let digits = text.utf8.prefix { $0.isDigit }
        guard (1...9).contains(digits.count), let number = Int64(String(digits) ?? "") else { return nil }
        switch String(text.utf8.dropFirst(digits.count)) {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        case "min": self = .seconds(number * 60)
        default: return nil
        }
    }
}
