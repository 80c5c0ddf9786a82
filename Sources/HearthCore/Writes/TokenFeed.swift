// Chunks of a body, turned into tokens for an assembly.
import HearthJSON

/// Runs a `JSONReader` over chunk after chunk and hands its tokens to a `DraftAssembly`.
struct TokenFeed: Sendable {
    private var reader: JSONReader
    private(set) var assembly: DraftAssembly
    private var scanner = RecordScanner()
    private var members = MemberScanner()
    /// How many members are read one by one before many are looked for at once again.
    private var membersAlone = 0
    /// How many that were the last time that there were none.
    private var lastMembersAlone = 0
    /// The first bytes of a piece that are joined with what was left of the piece before.
    private static let joinedByteCount = 4_096
    /// The bytes of a token whose end has not arrived.
    private var unread: [UInt8] = []

    init(_ form: DraftAssembly.Form, levels: Int, limits: JSONLimits) {
        reader = JSONReader(limits: limits)
        assembly = DraftAssembly(form, levels: levels)
    }

    /// The place of the last token.
    var place: JSONPlace { reader.lastTokenPlace }

    /// Returns whether the body is complete, which it is after a final chunk.
    mutating func take(_ bytes: [UInt8], isFinal: Bool) throws(DraftError) -> Bool {
        let outcome = bytes.withUnsafeBytes { takeAny($0, isFinal: isFinal) }
        return try outcome.get()
    }

    /// Returns whether the body is complete, which it is after a final chunk.
    mutating func take(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(DraftError) -> Bool {
        try takeAny(bytes, isFinal: isFinal).get()
    }

    private mutating func takeAny(
        _ bytes: UnsafeRawBufferPointer, isFinal: Bool
    ) -> Result<Bool, DraftError> {
        var taken = 0
        if !unread.isEmpty {
            let outcome = finishToken(with: bytes, &taken, isFinal: isFinal)
            guard case .success(false) = outcome, taken < bytes.count else { return outcome }
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
        let outcome = takeTokens(in: rest, isFinal: isFinal)
        let done = reader.discardConsumed()
        if !isFinal { unread.append(contentsOf: rest[done...]) }
        return outcome
    }

    /// Goes on with the token that was left, and with as many of the new bytes behind it as that takes:
    /// `taken` says how many of them are not needed any more. All are, if there is no end of it.
    private mutating func finishToken(
        with bytes: UnsafeRawBufferPointer, _ taken: inout Int, isFinal: Bool
    ) -> Result<Bool, DraftError> {
        var joined: [UInt8] = []
        swap(&joined, &unread)
        var window = TokenFeed.joinedByteCount
        while true {
            let left = joined.count
            let count = min(window, bytes.count - taken)
            joined.append(contentsOf: bytes[taken..<taken + count])
            taken += count
            let isLast = taken == bytes.count
            let outcome = joined.withUnsafeBytes { takeTokens(in: $0, isFinal: isFinal && isLast) }
            let done = reader.discardConsumed()
            guard case .success = outcome, !isLast else {
                joined.removeFirst(done)
                swap(&joined, &unread)
                return outcome
            }
            if done >= left {
                // The token that is begun now stands as a whole in what has come.
                taken -= joined.count - done
                return outcome
            }
            joined.removeFirst(done)
            window *= 4
        }
    }

    private mutating func takeTokens(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) -> Result<Bool, DraftError> {
        do throws(DraftError) {
            if assembly.isAtBeginning { takeRecord(named: nil, in: buffer) }
            while true {
                while takeMembers(in: buffer) {}
                let token = try nextToken(in: buffer, isFinal: isFinal)
                switch token {
                case .needsMore: return .success(false)
                case .end: return .success(true)
                case .key(let name):
                    try assembly.take(token, from: reader, in: buffer)
                    takeRecord(named: name.hasEscapes ? nil : name.raw(in: buffer), in: buffer)
                default: try assembly.take(token, from: reader, in: buffer)
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Takes a small object that comes next as a whole, if it is one that need not be taken apart.
    private mutating func takeRecord(
        named name: UnsafeRawBufferPointer?, in buffer: UnsafeRawBufferPointer
    ) {
        let levels = min(assembly.levelsLeft, reader.limits.depth - reader.depth)
        guard assembly.takesRecords, let start = reader.placeOfObject(in: buffer),
            let stretch = scanner.scan(at: start, in: buffer, levels: levels, limits: reader.limits),
            stretch.end - start <= reader.limits.totalBytes - reader.offset
        else { return }
        reader.skip(stretch)
        scanner.withText { assembly.take(record: $0, named: name) }
    }

    /// Takes members of the open object that stand as they are kept, many at once; returns whether there were
    /// any.
    private mutating func takeMembers(in buffer: UnsafeRawBufferPointer) -> Bool {
        guard let start = reader.placeOfMember(in: buffer) else { return false }
        guard membersAlone == 0 else {
            membersAlone -= 1
            return false
        }
        guard let (room, last) = assembly.memberRoom() else { return false }
        let levels = min(assembly.levelsLeft, reader.limits.depth - reader.depth)
        guard
            let run = members.scan(
                at: start, in: buffer, after: last, levels: levels, room: room, limits: reader.limits),
            run.range.count <= reader.limits.totalBytes - reader.offset
        else {
            // Where texts are written in another way, looking for such members should cost next to nothing.
            lastMembersAlone = min(2 * lastMembersAlone + 1, 63)
            membersAlone = lastMembersAlone
            return false
        }
        lastMembersAlone = 0
        var stretch = JSONStretch(end: run.range.upperBound)
        stretch.continuations = run.continuations
        reader.skip(members: stretch)
        let text = UnsafeRawBufferPointer(rebasing: buffer[run.range])
        members.withMarks { assembly.take(run, text, $0) }
        return true
    }

    private mutating func nextToken(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(DraftError) -> JSONToken {
        do throws(JSONError) {
            return try reader.next(in: buffer, isFinal: isFinal)
        } catch {
            throw .json(error)
        }
    }
}
