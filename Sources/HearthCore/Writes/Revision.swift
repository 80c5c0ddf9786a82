// How commits are counted and how clients name a place in their sequence.

/// The number of commits that made a state; the first commit of a namespace makes 1.
public typealias Revision = Int64

/// A place in a namespace's sequence of commits: `<epoch>-<revision>`, for instance `k3Jx9a-1042`.
///
/// Clients treat it as opaque. Source: event-streams.md §1.
public struct Cursor: Hashable, Sendable {
    /// Changes when history is cut; letters and digits only, 1 to 16 of them.
    public let epoch: String
    /// The commits that have been seen.
    public let revision: Revision

    /// Puts the two together.
    public init(epoch: String, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Reads a cursor; nil if `text` is not well formed.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...16).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy(Cursor.isLetterOrDigit), (1...19).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let revision = Revision(parts[1])
        else { return nil }
        self.init(epoch: String(parts[0]), revision: revision)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension Cursor: CustomStringConvertible {
    /// The cursor as clients see it.
    public var description: String { "\(epoch)-\(revision)" }
}
