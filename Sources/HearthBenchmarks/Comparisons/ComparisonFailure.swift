// Why a comparison could not be made.
import Glibc

/// What went wrong, where, and what helps, for the person who started the comparison.
struct ComparisonFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A call of the system that failed just now, with the system's reason.
    static func system(_ call: String) -> ComparisonFailure {
        ComparisonFailure("\(call): \(String(cString: strerror(errno)))")
    }
}
