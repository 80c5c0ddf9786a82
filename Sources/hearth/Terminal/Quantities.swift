// Sizes, rates and times as people read them.

/// Spells quantities for progress and reports.
enum Quantities {
    /// `950 bytes`, `1.4 kB`, `103 MB`: three digits, powers of 1,000.
    static func size(_ bytes: Int) -> String {
        guard bytes >= 1_000 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var value = Double(bytes)
        var unit = 0
        let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        guard value < 9.95 else { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `8 s`, `2 min 5 s`, `1 h 3 min`.
    static func time(seconds: Int) -> String {
        if seconds < 60 { return "\(max(0, seconds)) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }

    /// `1 connection`, `1,016 connections`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `1,048,576`.
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        groups.insert(digits[...], at: 0)
        return (number < 0 ? "-" : "") + groups.joined(separator: ",")
    }
}
