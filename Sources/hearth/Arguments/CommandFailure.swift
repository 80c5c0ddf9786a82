// How a command ends when it does not end well.

/// Why a command could not do what it was asked for.
enum CommandFailure: Error, Equatable, Sendable {
    /// The command line is wrong; exit status 2. The text says what and, where it can, what was meant.
    case misused(String)
    /// Refused or failed; exit status 1. The text says what, where, why and what to do.
    case failed(String)
    /// Whoever reads the output has gone, as `head` does; exit status 1 without a word.
    case outputClosed
    /// Everything has been said already; exit status 1.
    case toldAlready

    /// The status with which the process ends.
    var exitStatus: Int32 {
        switch self {
        case .misused: 2
        case .failed, .outputClosed, .toldAlready: 1
        }
    }

    /// What goes to standard error, nil where nothing has to be said.
    var message: String? {
        switch self {
        case .misused(let text), .failed(let text): text
        case .outputClosed, .toldAlready: nil
        }
    }
}
