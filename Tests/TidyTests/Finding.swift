// What a check has to say about one place.

/// A place that breaks a habit of the project, with the reason.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int
    let reason: String

    var description: String { "\(path):\(line): \(reason)" }
}
