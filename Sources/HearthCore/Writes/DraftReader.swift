// A body, whole or in pieces, read into what it writes.
public import HearthJSON

/// Reads the JSON of a value that is to be written at one place, from one buffer or from chunk after chunk.
///
/// Nulls and empty objects and arrays vanish, arrays become children `0, 1, 2 …`, `.value`, `.priority`
/// and `.sv` are understood, the last of equal keys wins. Sources: wire-protocol.md §10.2, rest-api.md
/// §3, §8, §9. Memory is bounded by the value that is built, plus the largest string.
public struct DraftReader: Sendable {
    private var feed: TokenFeed

    /// Begins a body that is to be written at `path`, which takes its share of the levels.
    public init(at path: Path, limits: JSONLimits = JSONLimits()) {
        feed = TokenFeed(.value, levels: Path.depthLimit - path.depth, limits: limits)
    }

    /// Begins a body of any length.
    public init(ofAnySizeAt path: Path) {
        self.init(at: path, limits: JSONLimits(totalBytes: .max))
    }

    /// Takes the next bytes, which are not kept. Returns the draft when `isFinal` says that no more come,
    /// else nil.
    ///
    /// - Throws: the first fault; the reader must not be used any more then.
    /// - Complexity: O(n) in the bytes, while keys of the same object ascend; else O(n log n).
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(DraftError) -> Draft? {
        guard try feed.take(bytes, isFinal: isFinal) else { return nil }
        return feed.assembly.result?.draft
    }

    /// Takes the next bytes, like `read(_:isFinal:)` for a buffer.
    public mutating func read(_ bytes: [UInt8], isFinal: Bool) throws(DraftError) -> Draft? {
        guard try feed.take(bytes, isFinal: isFinal) else { return nil }
        return feed.assembly.result?.draft
    }

    /// Reads a whole body with memory that is used again from one to the next: most bodies are small objects,
    /// which need nothing else.
    public static func draft(
        _ bytes: UnsafeRawBufferPointer, at path: Path, limits: JSONLimits = JSONLimits(),
        using memory: inout DraftMemory
    ) throws(DraftError) -> Draft {
        let levels = Path.depthLimit - path.depth
        if let node = memory.scanner.node(of: bytes, levels: levels, limits: limits) { return Draft(node) }
        var reader = DraftReader(at: path, limits: limits)
        return reader.whole(try reader.read(bytes, isFinal: true))
    }

    /// Reads a whole body.
    public static func draft(
        _ bytes: [UInt8], at path: Path = .root, limits: JSONLimits = JSONLimits()
    ) throws(DraftError) -> Draft {
        var reader = DraftReader(at: path, limits: limits)
        return reader.whole(try reader.read(bytes, isFinal: true))
    }

    private func whole(_ draft: Draft?) -> Draft {
        guard let draft else { preconditionFailure("a final buffer ends with a value or an error") }
        return draft
    }
}

/// What reading a small body takes beside its text; about 11 KB once it was used.
public struct DraftMemory: Sendable {
    fileprivate var scanner = RecordScanner()

    /// Begins without any memory.
    public init() {}
}

/// Reads the JSON of an update: an object whose keys are paths below the written place.
///
/// Slashes around and between the keys of a path do not count; a path that names no place, and two of
/// which one lies below the other, are refused. What each member says is read as by `DraftReader`.
public struct UpdateReader: Sendable {
    private var feed: TokenFeed

    /// Begins a body that is to be written at `path`.
    public init(at path: Path, limits: JSONLimits = JSONLimits()) {
        feed = TokenFeed(.update, levels: Path.depthLimit - path.depth, limits: limits)
    }

    /// Takes the next bytes, which are not kept. Returns the changes when `isFinal` says that no more
    /// come: the paths read from the written place, removals last, as they must be applied; else nil.
    ///
    /// - Throws: the first fault; the reader must not be used any more then.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(DraftError) -> [(path: Path, draft: Draft)]? {
        try feed.take(bytes, isFinal: isFinal) ? try checkedChanges() : nil
    }

    /// Takes the next bytes, like `read(_:isFinal:)` for a buffer.
    public mutating func read(
        _ bytes: [UInt8], isFinal: Bool
    ) throws(DraftError) -> [(path: Path, draft: Draft)]? {
        try feed.take(bytes, isFinal: isFinal) ? try checkedChanges() : nil
    }

    /// Reads a whole body.
    public static func changes(
        _ bytes: UnsafeRawBufferPointer, at path: Path = .root, limits: JSONLimits = JSONLimits()
    ) throws(DraftError) -> [(path: Path, draft: Draft)] {
        var reader = UpdateReader(at: path, limits: limits)
        return reader.whole(try reader.read(bytes, isFinal: true))
    }

    /// Reads a whole body.
    public static func changes(
        _ bytes: [UInt8], at path: Path = .root, limits: JSONLimits = JSONLimits()
    ) throws(DraftError) -> [(path: Path, draft: Draft)] {
        var reader = UpdateReader(at: path, limits: limits)
        return reader.whole(try reader.read(bytes, isFinal: true))
    }

    private func whole(
        _ changes: [(path: Path, draft: Draft)]?
    ) -> [(path: Path, draft: Draft)] {
        guard let changes else { preconditionFailure("a final buffer ends with a value or an error") }
        return changes
    }

    private func checkedChanges() throws(DraftError) -> [(path: Path, draft: Draft)] {
        if let overlap = feed.assembly.changes.overlap {
            throw .refused(.overlappingPaths(overlap.upper, overlap.lower), at: feed.place)
        }
        return feed.assembly.changes.removalsLast
    }
}
