// One line an event on standard error: time, level, a constant message and keyed fields.
import Glibc

/// A log that people and programs can read.
///
///     2026-01-31T12:00:00.123Z info  checkpoint written namespace=default revision=1042 bytes=18230
///
/// Messages are constant, whatever varies is a field. Tokens, passwords, codes and values are never fields.
/// A line is written with one call, so that lines of several threads do not mix.
public struct Log: Sendable {
    /// How much a line matters.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// What a developer of the server wants to see.
        case debug
        /// What an operator likes to know.
        case info
        /// What an operator should look at.
        case warning
        /// What keeps the server from doing its work.
        case error

        /// Orders by how much it matters.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// A field of a line.
    public typealias Field = (name: StaticString, value: String)

    /// Lines below it are left out.
    public var threshold: Level
    /// Takes each finished line, without the line's end; it may be called by several threads at once.
    private let sink: @Sendable (String) -> Void

    /// Logs to standard error.
    public init(threshold: Level = .info) {
        self.init(threshold: threshold, sink: Log.writeToStandardError)
    }

    /// Logs to `sink`, which gets each line without its end and may be called by several threads at once.
    public init(threshold: Level, sink: @escaping @Sendable (String) -> Void) {
        self.threshold = threshold
        self.sink = sink
    }

    func debug(_ message: StaticString, _ fields: Field...) { write(.debug, message, fields) }
    func info(_ message: StaticString, _ fields: Field...) { write(.info, message, fields) }
    func warning(_ message: StaticString, _ fields: Field...) { write(.warning, message, fields) }
    func error(_ message: StaticString, _ fields: Field...) { write(.error, message, fields) }

    private func write(_ level: Level, _ message: StaticString, _ fields: [Field]) {
        guard level >= threshold else { return }
        var line = "\(Log.timestamp(WallClock().milliseconds)) \(Log.name(of: level)) \(message)"
        for field in fields {
            line += " \(field.name)=\(Log.quoted(field.value))"
        }
        sink(line)
    }

    private static func name(of level: Level) -> String {
        switch level {
        case .debug: "debug"
        case .info: "info "
        case .warning: "warn "
        case .error: "error"
        }
    }

    /// Quotes what would otherwise read as several fields or lines.
    static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
        guard !isPlain else { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "?"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Milliseconds since 1970 as ISO 8601 in UTC.
    static func timestamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
        let time = "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
        return "\(date)T\(time).\(padded(Int32(milliseconds % 1000), 3))Z"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func writeToStandardError(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { bytes in
            // A log that cannot be written must not stop the server, and there is nowhere to report it.
            _ = Glibc.write(2, bytes.baseAddress, bytes.count)
        }
    }
}
