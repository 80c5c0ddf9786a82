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
        var text = text
        guard let cursor = text.withUTF8({ Cursor.read(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = cursor
    }

    /// The revision that a whole cursor of `epoch` names; nil if `bytes` are none.
    public static func revision(_ bytes: UnsafeRawBufferPointer, in epoch: String) -> Revision? {
        var epoch = epoch
        let count = epoch.utf8.count
        guard count > 0, count < bytes.count, bytes[count] == UInt8(ascii: "-") else { return nil }
        let isSame = epoch.withUTF8 { known in
            UnsafeRawBufferPointer(known).hasSameBytes(as: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        guard isSame else { return nil }
        var at = count + 1
        guard let revision = number(bytes, &at), at == bytes.count else { return nil }
        return revision
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> Cursor? {
        var end = 0
        while end < bytes.count, isLetterOrDigit(bytes[end]) { end += 1 }
        guard (1...16).contains(end), end < bytes.count, bytes[end] == UInt8(ascii: "-") else {
            return nil
        }
        let epoch = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]), as: UTF8.self)
        var at = end + 1
        guard let revision = number(bytes, &at) else { return nil }
        guard at < bytes.count else { return Cursor(epoch: epoch, revision: revision) }
        guard let part = part(bytes, &at), at == bytes.count else { return nil }
        if case .events = part, revision == 0 { return nil }
        return Cursor(epoch: epoch, revision: revision, part: part)
    }

    /// The part that is named after a point.
    private static func part(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> Part? {
        guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: ".") else { return nil }
        let kind = bytes[at + 1]
        at += 2
        guard let count = number(bytes, &at).flatMap({ Int(exactly: $0) }) else { return nil }
        switch kind {
        case UInt8(ascii: "e"): return .events(count)
        case UInt8(ascii: "s"): return .children(count)
        default: return nil
        }
    }

    /// Digits alone, at most 19 of them.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> Revision? {
        let start = at
        var value: Revision = 0
        while at < bytes.count, (0x30...0x39).contains(bytes[at]) {
            let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Revision(bytes[at] - 0x30))
            guard !tensOverflow, !overflow, at - start < 19 else { return nil }
            value = sum
            at += 1
        }
        return at > start ? value : nil
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
