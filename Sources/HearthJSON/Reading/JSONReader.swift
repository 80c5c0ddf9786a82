// The pull tokenizer: bytes in, tokens out, nothing built.

/// Reads one JSON text, strictly as RFC 8259 has it, from a buffer or from chunk after chunk.
///
/// The caller owns the bytes. It asks for token after token; on `needsMore` it drops `discardConsumed()`
/// bytes from the front of its buffer, appends what has arrived and asks again:
///
///     chunk 1:  {"lobby":{"topic":"hel           chunk 2:  lo"}}
///               ├── consumed ─────┤├─ unread ─┤
///     buffer for the next call:    "hel lo"}}      (without the space)
///
/// A string that spans many chunks has to be in the buffer as a whole when it is complete, but no byte of
/// it is looked at twice. Line, column and offset of an error count from the beginning of the text.
///
/// White space is space, tab, line feed and carriage return. A byte order mark, text after the value,
/// unescaped control characters, bytes that are no UTF-8 and lone surrogates in escapes are refused. After
/// an error nothing more may be asked.
///
/// - Complexity: O(n) in the bytes of the text, without allocating up to 64 levels of nesting; numbers of
///   more than 15 digits allocate a little.
public struct JSONReader: Sendable {
    /// The bounds given at the beginning.
    public let limits: JSONLimits
    /// Bytes of the current buffer that are done with.
    public internal(set) var consumed = 0
    /// Objects and arrays that are open.
    public private(set) var depth = 0

    /// What may come next.
    private enum State: Sendable {
        case value, firstElement, firstKey, key, colon, afterElement, afterMember, done
    }

    /// Where lines begin, so that the column can be told when something is wrong.
    struct Position: Sendable {
        var line = 1
        /// Offset of the line's first byte in the whole text.
        var lineStart = 0
        /// UTF-8 continuation bytes in the line so far.
        var continuations = 0
    }

    private var state = State.value
    /// Bytes of the text that were dropped before the current buffer.
    private var dropped = 0
    /// Where in the text the last token begins, and the continuation bytes before it in its line.
    private var tokenOffset = 0
    private var tokenContinuations = 0
    /// One bit per open container, innermost lowest: 1 for objects. The bits of every 64 outer levels are
    /// put aside.
    private var kinds: UInt64 = 0
    private var outerKinds: [UInt64] = []
    var position = Position()
    var progress = StringProgress()

    /// Begins a new text.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Bytes of the whole text, over all chunks, that are done with.
    public var offset: Int { dropped + consumed }

    /// The place of the token that the last call returned, or began before it needed more: for faults that
    /// only its meaning has, such as a key that the tree does not take.
    public var lastTokenPlace: JSONPlace {
        let column = tokenOffset - position.lineStart - tokenContinuations + 1
        return JSONPlace(line: position.line, column: column, offset: tokenOffset)
    }

    /// Where the last token begins in the buffer.
    var lastTokenStart: Int { tokenOffset - dropped }

    /// Returns how many bytes at the front of the buffer are done with and counts from the byte after them.
    ///
    /// The caller must drop exactly so many before the next call; places of earlier texts are void then.
    public mutating func discardConsumed() -> Int {
        defer { consumed = 0 }
        dropped += consumed
        return consumed
    }

    /// Returns the next token.
    ///
    /// - Parameters:
    ///   - buffer: the unread bytes, beginning where the last `discardConsumed()` said; the bytes seen by
    ///     earlier calls must still be the same.
    ///   - isFinal: whether the text ends with the buffer. Only then `end` can be told, and a number at the
    ///     very end of the text.
    /// - Throws: the first fault of the text.
    public mutating func next(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        let token = try readToken(in: buffer, isFinal: isFinal)
        var seen = consumed
        if case .needsMore = token { seen = buffer.count }
        guard dropped &+ seen <= limits.totalBytes else {
            throw fault(.textTooLong(limit: limits.totalBytes), at: consumed)
        }
        return token
    }

    private mutating func readToken(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        while true {
            skipWhiteSpace(in: buffer)
            guard consumed < buffer.count else { return try endOfBuffer(at: consumed, isFinal, expectation) }
            tokenOffset = dropped &+ consumed
            tokenContinuations = position.continuations
            let byte = buffer[consumed]
            switch (state, byte) {
            case (.colon, .colon):
                consumed &+= 1
                state = .value
            case (.afterMember, .comma):
                consumed &+= 1
                state = .key
            case (.afterElement, .comma):
                consumed &+= 1
                state = .value
            case (.firstKey, .quote), (.key, .quote):
                return try readKey(in: buffer, isFinal: isFinal)
            case (.firstKey, .closeBrace), (.afterMember, .closeBrace):
                return close(.endObject)
            case (.firstElement, .closeBracket), (.afterElement, .closeBracket):
                return close(.endArray)
            case (.value, _), (.firstElement, _):
                return try readValue(byte, in: buffer, isFinal: isFinal)
            default:
                throw fault(.unexpected(byte: byte, expected: expectation), at: consumed)
            }
        }
    }

    /// Where the object begins that comes next as a value; nil if something else comes next, or nothing yet.
    ///
    /// White space and the colon before it are done with then.
    public mutating func placeOfObject(in buffer: UnsafeRawBufferPointer) -> Int? {
        skipWhiteSpace(in: buffer)
        if state == .colon, consumed < buffer.count, buffer[consumed] == .colon {
            consumed &+= 1
            state = .value
            skipWhiteSpace(in: buffer)
        }
        guard state == .value, consumed < buffer.count, buffer[consumed] == .openBrace else { return nil }
        return consumed
    }

    /// Where the key of a member of the open object begins that comes next; nil if something else comes next,
    /// or nothing yet.
    ///
    /// White space and the comma before it are done with then.
    public mutating func placeOfMember(in buffer: UnsafeRawBufferPointer) -> Int? {
        if state == .afterMember {
            skipWhiteSpace(in: buffer)
            guard consumed < buffer.count, buffer[consumed] == .comma else { return nil }
            consumed &+= 1
            state = .key
        }
        guard state == .key || state == .firstKey else { return nil }
        skipWhiteSpace(in: buffer)
        guard consumed < buffer.count, buffer[consumed] == .quote, progress.scanned == 1 else { return nil }
        return consumed
    }

    /// Goes on behind a member of the open object, or behind several, the first of which began at
    /// `placeOfMember` and which were read by the caller.
    ///
    /// - Precondition: they are valid JSON within the limits.
    public mutating func skip(members: JSONStretch) {
        precondition(state == .key || state == .firstKey, "a member comes next")
        tokenOffset = dropped &+ consumed
        tokenContinuations = position.continuations
        position.continuations &+= members.continuations
        consumed = members.end
        state = .afterMember
    }

    /// Goes on behind a whole value, which began at `placeOfObject` and was read by the caller.
    ///
    /// - Precondition: the value is valid JSON within the limits.
    public mutating func skip(_ value: JSONStretch) {
        precondition(state == .value && value.end > consumed, "a value comes next")
        tokenOffset = dropped &+ consumed
        tokenContinuations = position.continuations
        if value.lineFeeds > 0 {
            position = Position(line: position.line &+ value.lineFeeds, lineStart: dropped &+ value.lineStart)
        }
        position.continuations &+= value.continuations
        consumed = value.end
        state = afterValue
    }

    private mutating func skipWhiteSpace(in buffer: UnsafeRawBufferPointer) {
        var at = consumed
        while at < buffer.count {
            switch buffer[at] {
            case .space, 0x09, 0x0D: break
            case .lineFeed:
                position = Position(line: position.line &+ 1, lineStart: dropped &+ at &+ 1)
            default:
                consumed = at
                return
            }
            at &+= 1
        }
        consumed = at
    }

    private mutating func readKey(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        guard let text = try readString(at: consumed, in: buffer, isKey: true) else {
            return try endOfBuffer(at: buffer.count, isFinal, .closingQuote)
        }
        state = .colon
        return .key(text)
    }

    private mutating func readValue(
        _ byte: UInt8, in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        switch byte {
        case .quote:
            guard let text = try readString(at: consumed, in: buffer, isKey: false) else {
                return try endOfBuffer(at: buffer.count, isFinal, .closingQuote)
            }
            state = afterValue
            return .string(text)
        case .openBrace: return try open(.beginObject, isObject: true)
        case .openBracket: return try open(.beginArray, isObject: false)
        case .minus, .zero ... .nine: return try readNumber(in: buffer, isFinal: isFinal)
        case UInt8(ascii: "t"): return try readLiteral("true", true, in: buffer, isFinal)
        case UInt8(ascii: "f"): return try readLiteral("false", false, in: buffer, isFinal)
        case UInt8(ascii: "n"): return try readLiteral("null", nil, in: buffer, isFinal)
        default: return try refuseValue(byte, in: buffer, isFinal: isFinal)
        }
    }

    /// Tells a byte order mark from anything else that begins no value.
    private func refuseValue(
        _ byte: UInt8, in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard offset == 0, buffer.prefix(3).elementsEqual(mark.prefix(buffer.count)) else {
            throw fault(.unexpected(byte: byte, expected: expectation), at: consumed)
        }
        guard buffer.count < 3, !isFinal else { throw fault(.byteOrderMark, at: 0) }
        return .needsMore
    }

    private mutating func readNumber(
        in buffer: UnsafeRawBufferPointer, isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        switch NumberScan(at: consumed, in: buffer, isFinal: isFinal) {
        case .number(let number, let end):
            consumed = end
            state = afterValue
            switch number {
            case .integer(let value): return .integer(value)
            case .double(let value): return .double(value)
            }
        case .incomplete: return try endOfBuffer(at: buffer.count, isFinal, .digit)
        case .fault(let reason, let at): throw fault(reason, at: at)
        }
    }

    private mutating func readLiteral(
        _ literal: StaticString, _ value: Bool?, in buffer: UnsafeRawBufferPointer, _ isFinal: Bool
    ) throws(JSONError) -> JSONToken {
        let count = literal.utf8CodeUnitCount
        for index in 1..<count {
            let at = consumed &+ index
            guard at < buffer.count else { return try endOfBuffer(at: at, isFinal, .literal(value)) }
            guard buffer[at] == literal.utf8Start[index] else {
                throw fault(.unexpected(byte: buffer[at], expected: .literal(value)), at: at)
            }
        }
        consumed &+= count
        state = afterValue
        guard let value else { return .null }
        return .bool(value)
    }

    private mutating func open(_ token: JSONToken, isObject: Bool) throws(JSONError) -> JSONToken {
        guard depth < limits.depth else { throw fault(.tooDeep(limit: limits.depth), at: consumed) }
        if depth > 0, depth & 63 == 0 { outerKinds.append(kinds) }
        kinds = kinds << 1 | (isObject ? 1 : 0)
        depth &+= 1
        consumed &+= 1
        state = isObject ? .firstKey : .firstElement
        return token
    }

    private mutating func close(_ token: JSONToken) -> JSONToken {
        depth &-= 1
        kinds >>= 1
        if depth > 0, depth & 63 == 0 { kinds = outerKinds.removeLast() }
        consumed &+= 1
        state = afterValue
        return token
    }

    private var afterValue: State {
        if depth == 0 { return .done }
        return kinds & 1 == 1 ? .afterMember : .afterElement
    }

    private var expectation: JSONError.Expectation {
        switch state {
        case .value: .value
        case .firstElement: .valueOrArrayEnd
        case .firstKey: .keyOrObjectEnd
        case .key: .key
        case .colon: .colon
        case .afterElement: .commaOrArrayEnd
        case .afterMember: .commaOrObjectEnd
        case .done: .nothing
        }
    }

    /// Asks for more, or says what is missing, or that everything is there.
    private func endOfBuffer(
        at end: Int, _ isFinal: Bool, _ expected: JSONError.Expectation
    ) throws(JSONError) -> JSONToken {
        guard isFinal else { return .needsMore }
        if state == .done { return .end }
        throw fault(.unexpectedEnd(expected: expected), at: end, after: progress.continuations)
    }

    /// Makes the error for a fault at `at` of the buffer, before which the token has so many continuation
    /// bytes.
    func fault(_ reason: JSONError.Reason, at: Int, after continuations: Int = 0) -> JSONError {
        let offset = dropped + at
        let column = offset - position.lineStart - position.continuations - continuations + 1
        return JSONError(
            reason: reason, place: JSONPlace(line: position.line, column: column, offset: offset))
    }
}
