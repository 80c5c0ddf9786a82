// What the machine cannot do for us, in words that help whoever runs it.
public import HearthCore

/// The machine cannot: what was to be done, where, why it failed and what to do about it.
///
/// The text never holds stored values. A failure that is `isFatal` leaves the state on disk unknown: the
/// process must stop and may not try again, since a second sync can report success for bytes that are lost.
public struct StorageFailure: Error, Hashable, Sendable {
    /// The cases that callers tell apart; all else about a failure is text.
    public enum Kind: Hashable, Sendable {
        /// The disk is full. Nothing was changed; it can be tried again when there is space.
        case noSpace
        /// The operating system reported an error.
        case broken
        /// Stored bytes are not what was written. Up to these revisions all is sound, by namespace.
        case damaged(lastSound: [String: Revision])
        /// Another process has the directory open; its number, if it can be told.
        case locked(process: Int32?)
        /// Written by another version, or not ours at all.
        case unsupported
        /// Something is there already and would be overwritten.
        case occupied
        /// A file that must be there is not.
        case missing
    }

    /// Which case it is.
    public let kind: Kind
    /// What was to be done, as it goes after "cannot": `write to`, `recover`.
    public let action: String
    /// The file or directory.
    public let place: String
    /// Where in the file, in bytes.
    public let offset: Int?
    /// Why it failed.
    public let reason: String
    /// What to do, one or more lines; empty if there is nothing to say.
    public let advice: String
    /// Whether the process must stop: bytes that were accepted may or may not be on disk.
    public var isFatal = false

    /// Puts a failure together.
    public init(
        _ kind: Kind, action: String, place: String, offset: Int? = nil, reason: String, advice: String = ""
    ) {
        self.kind = kind
        self.action = action
        self.place = place
        self.offset = offset
        self.reason = reason
        self.advice = advice
    }

    /// The same failure, after which the process must stop.
    public var fatal: StorageFailure {
        var failure = self
        failure.isFatal = true
        return failure
    }

    /// Whether the cause is a full disk that was noticed before anything was accepted.
    public var isNoSpace: Bool { kind == .noSpace && !isFatal }
}

extension StorageFailure: CustomStringConvertible {
    /// `cannot <action> <place> at byte <offset>: <reason>`, then the advice on lines of its own.
    public var description: String {
        let at = offset.map { " at byte \($0)" } ?? ""
        let first = "cannot \(action) \(place)\(at): \(reason)"
        return advice.isEmpty ? first : first + "\n" + advice
    }
}
