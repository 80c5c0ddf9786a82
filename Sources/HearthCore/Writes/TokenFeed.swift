// Chunks of a body, turned into tokens for an assembly.
import HearthJSON

/// Runs a `JSONReader` over chunk after chunk and hands its tokens to a `DraftAssembly`.
struct TokenFeed: Sendable {
    private var reader: JSONReader
    private(set) var assembly: DraftAssembly
    private var scanner = RecordScanner()
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
        guard !unread.isEmpty else {
            let outcome = takeTokens(in: bytes, isFinal: isFinal)
            let done = reader.discardConsumed()
            if !isFinal { unread.append(contentsOf: bytes[done...]) }
            return outcome
        }
        var joined: [UInt8] = []
        swap(&joined, &unread)
        joined.append(contentsOf: bytes)
        let outcome = joined.withUnsafeBytes { takeTokens(in: $0, isFinal: isFinal) }
        joined.removeFirst(reader.discardConsumed())
        swap(&joined, &unread)
        return outcome
    }

    private mutating func takeTokens(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) -> Result<Bool, DraftError> {
        do throws(DraftError) {
            if assembly.isAtBeginning { takeRecord(named: nil, in: buffer) }
            while true {
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
