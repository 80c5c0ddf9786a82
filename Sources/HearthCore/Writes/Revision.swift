// How commits are counted and how clients name a place in their sequence.

/// The number of commits that made a state; the first commit of a namespace makes 1.
public typealias Revision = Int64

/// A place in a namespace's sequence of commits: `<epoch>-<revision>`, for instance `k3Jx9a-1042`.
///
/// A stream that tells several events of one commit, or many children of the state that it begins with, may
/// be cut between them. The cursors that it carries there say how far it came, so that the rest can follow:
/// `k3Jx9a-1042.e3` after three events of commit 1042, `k3Jx9a-1042.s3` after three children of the state.
///
/// Clients treat it as opaque. Source: event-streams.md §1.
public struct Cursor: Hashable, Sendable {
    /// How much of a revision has been told.
    public enum Part: Hashable, Sendable {
        /// All of it.
        case all
        /// So many of the events of its commit, and not the rest.
        case events(Int)
        /// So many children of the state that a stream began with, and not the rest.
        case children(Int)
    }

    /// Changes when history is cut; letters and digits only, 1 to 16 of them.
    public let epoch: String
    /// The commits that have been seen, the last one perhaps in part.
    public let revision: Revision
    /// How much of the last one.
    public let part: Part

    /// Puts them together. There are no events of the revision 0.
    public init(epoch: String, revision: Revision, part: Part = .all) {
        self.epoch = epoch
        self.revision = revision
        self.part = part
    }

    /// Whether everything of the revision has been told.
    public var isWhole: Bool { part == .all }

    /// The newest whole revision from which on a stream can be told again: the one before a commit that was
    /// told in part, or the state that was.
    public var base: Cursor {
        if case .events = part { return Cursor(epoch: epoch, revision: revision - 1) }
        return Cursor(epoch: epoch, revision: revision)
    }

    /// Reads a cursor; nil if `text` is not well formed.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...16).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy(Cursor.isLetterOrDigit),
            let (number, part) = Cursor.split(parts[1]), let revision = Cursor.revision(number)
        else { return nil }
        if case .events = part, revision == 0 { return nil }
        self.init(epoch: String(parts[0]), revision: revision, part: part)
    }

    /// What stands before the point, and the part that is named after it.
    private static func split(_ text: Substring) -> (number: Substring, part: Part)? {
        guard let point = text.firstIndex(of: ".") else { return (text, .all) }
        let rest = text[point...].dropFirst()
        guard let count = Cursor.revision(rest.dropFirst()).flatMap({ Int(exactly: $0) }) else { return nil }
        switch rest.first {
        case "e": return (text[..<point], .events(count))
        case "s": return (text[..<point], .children(count))
        default: return nil
        }
    }

    /// Digits alone, at most 19 of them.
    private static func revision(_ text: Substring) -> Revision? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Revision(text)
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
    public var description: String {
        switch part {
        case .all: "\(epoch)-\(revision)"
        case .events(let count): "\(epoch)-\(revision).e\(count)"
        case .children(let count): "\(epoch)-\(revision).s\(count)"
        }
    }
}
