// Reads request heads from the bytes of a connection and refuses what two readers could understand
// differently.

import HearthCore

/// Finds the next request head in a connection's unread input.
///
/// It is called with all unread bytes again and again while they grow, and takes up where it stopped. A
/// refusal comes as soon as a line is wrong, not when the head is complete; the connection must then be
/// closed.
///
/// Strict where laxity lets requests be smuggled past a proxy: lines end in CR LF, no folded lines, no space
/// before the colon, one length, one Host, no transfer coding but `chunked`.
public struct HTTPRequestParser: Sendable {
    private let limits: HTTPLimits
    private var scanner = HTTPHeadScanner()
    private var head = HTTPRequestHead()
    private var hasRequestLine = false
    private var skippedBytes = 0
    private var seen = SeenFields()
    /// A part of the query of the head that was found last, made of letters, digits, `-` and `.`: the next
    /// head may have others there and is still known. Forgotten when another head comes.
    public var variation: Range<Int>?

    /// What the header lines so far have said.
    private struct SeenFields {
        var host: Range<Int>?
        var contentLength: Int?
        var isChunked = false
        var closes = false
        var keepsAlive = false
        var connectionUpgrades = false
        var namesUpgrade = false
    }

    /// Starts at the first byte of a connection.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Returns the head that stands at the front of `input`, or nil when its end has not arrived.
    ///
    /// After a head the caller drops `byteCount` bytes, reads the body with `HTTPBodyDecoder`, and calls
    /// again with what follows. Until then each call must be given at least the bytes of the call before.
    /// - Complexity: O(bytes that are new since the last call). Most clients ask again as they asked before:
    ///   then it is one comparison.
    public mutating func next(
        in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) -> HTTPRequestHead? {
        takeRepetition(of: input) == .none ? try nextUnknown(in: input) : head
    }

    /// The same for input at whose front `takeRepetition` has found nothing.
    public mutating func nextUnknown(
        in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) -> HTTPRequestHead? {
        while let line = try scanner.nextLine(in: input, limit: limits.headBytes) {
            if !hasRequestLine {
                try takeFirstLine(line, in: input)
            } else if line.isEmpty {
                return try finish(input)
            } else {
                try takeField(line, in: input)
            }
        }
        return nil
    }

    /// What is found at the front of `input` of the head that was found last: it is taken then, as `next`
    /// would take it, and `last` is it.
    public mutating func takeRepetition(
        of input: UnsafeRawBufferPointer
    ) -> HTTPRequestHead.Repetition {
        let count = head.fields.bytes.count
        guard scanner.isFresh, count > 0, input.count >= count else { return .none }
        let text = UnsafeRawBufferPointer(rebasing: input[..<count])
        if head.fields.bytes.withUnsafeBytes({ $0.hasSameBytes(as: text) }) {
            head.repetition = .whole
            return .whole
        }
        guard let variation, differs(text, onlyAt: variation) else { return .none }
        head.fields.bytes.withUnsafeMutableBytes { known in
            UnsafeMutableRawBufferPointer(rebasing: known[variation])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: text[variation]))
        }
        head.repetition = .varied
        return .varied
    }

    /// The head that was found last; of no meaning before the first.
    public var last: HTTPRequestHead { head }

    /// Calls `body` with what stands at a place of the head that was found last.
    public func withLast<Result>(_ place: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        head.fields.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[place])) }
    }

    /// Whether what differs means nothing to a reader of heads.
    private func differs(_ text: UnsafeRawBufferPointer, onlyAt place: Range<Int>) -> Bool {
        for index in place {
            let byte = text[index]
            guard byte.isDigit || (byte | 0x20) &- 0x61 < 26 || byte == 0x2d || byte == 0x2e else {
                return false
            }
        }
        return head.fields.bytes.withUnsafeBytes { known in
            known.hasSameBytes(as: text, in: 0..<place.lowerBound)
                && known.hasSameBytes(as: text, in: place.upperBound..<text.count)
        }
    }

    /// Frees the storage that is kept for the next head; for connections that now wait or stream.
    public mutating func releaseStorage() {
        guard scanner.lineStart == 0 else { return }
        head = HTTPRequestHead()
    }

    /// Whether bytes of an incomplete head have been read; an idle connection has none.
    public var isInsideHead: Bool { hasRequestLine }

    // MARK: First line

    private mutating func takeFirstLine(
        _ line: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        if line.isEmpty {
            guard skippedBytes == 0 else { throw .badRequestLine }
            skippedBytes = 2
            return
        }
        startHead()
        hasRequestLine = true
        var end = line.lowerBound
        while end < line.upperBound && input[end].isTokenCharacter { end &+= 1 }
        guard end > line.lowerBound, end < line.upperBound, input[end] == 0x20 else { throw .badRequestLine }
        head.method = end - line.lowerBound > 2 ? HTTPMethod(line.lowerBound..<end, in: input) : .other
        let target = try takeTarget(end &+ 1..<line.upperBound, in: input)
        head.version = try Self.version(target.upperBound &+ 1..<line.upperBound, in: input)
        try splitTarget(target, in: input)
    }

    private mutating func startHead() {
        variation = nil
        head.fields.removeAll()
        head.query = nil
        head.host = nil
        head.expectsContinue = false
    }

    /// Returns the target: visible characters and bytes beyond ASCII up to the next space.
    private func takeTarget(
        _ rest: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) -> Range<Int> {
        var end = rest.lowerBound
        while end < rest.upperBound, input[end] > 0x20, input[end] != 0x7f, input[end] != 0x23 { end &+= 1 }
        guard end > rest.lowerBound, end < rest.upperBound else { throw .badRequestLine }
        guard input[end] == 0x20 else { throw .badTarget }
        guard end - rest.lowerBound <= limits.targetBytes else { throw .targetTooLong }
        return rest.lowerBound..<end
    }

    private static func version(
        _ range: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) -> HTTPVersion {
        let prefix: StaticString = "HTTP/"
        guard range.count == 8 else { throw .badRequestLine }
        for index in 0..<5 where input[range.lowerBound &+ index] != prefix.utf8Start[index] {
            throw .badRequestLine
        }
        let major = input[range.lowerBound &+ 5]
        let minor = input[range.lowerBound &+ 7]
        guard major.isDigit, minor.isDigit, input[range.lowerBound &+ 6] == 0x2e else {
            throw .badRequestLine
        }
        guard major == 0x31, minor <= 0x31 else { throw .unknownVersion }
        return minor == 0x31 ? .http11 : .http10
    }

    private mutating func splitTarget(
        _ target: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        var path = target
        if input[target.lowerBound] != 0x2f {
            if target.count == 1, input[target.lowerBound] == 0x2a, head.method == .options {
                head.path = target
                return
            }
            path = try takeAuthority(of: target, in: input)
        }
        if let mark = input[path].firstIndex(of: 0x3f) {
            head.query = mark &+ 1..<path.upperBound
            path = path.lowerBound..<mark
        }
        head.path = path
    }

    /// Takes the host out of an absolute target and returns what follows it.
    private mutating func takeAuthority(
        of target: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) -> Range<Int> {
        let schemes: [StaticString] = ["http://", "https://"]
        for scheme in schemes {
            let start = target.lowerBound &+ scheme.utf8CodeUnitCount
            guard start < target.upperBound, input.equals(scheme, in: target.lowerBound..<start) else {
                continue
            }
            var end = start
            while end < target.upperBound, input[end] != 0x2f, input[end] != 0x3f { end &+= 1 }
            guard end > start, input.isHost(in: start..<end) else { throw .badTarget }
            head.host = start..<end
            return end..<target.upperBound
        }
        throw .badTarget
    }

    // MARK: Header lines

    private mutating func takeField(
        _ line: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard head.fields.count < limits.fieldCount else { throw .tooManyFields }
        let field = try HTTPHeadScanner.field(in: input, line: line)
        head.fields.append(field)
        switch field.name.count {
        case 4 where input.equals("host", in: field.name): try takeHost(field.value, in: input)
        case 6 where input.equals("expect", in: field.name): try takeExpectation(field.value, in: input)
        case 7 where input.equals("upgrade", in: field.name): seen.namesUpgrade = true
        case 10 where input.equals("connection", in: field.name): takeConnection(field.value, in: input)
        case 14 where input.equals("content-length", in: field.name): try takeLength(field.value, in: input)
        case 17 where input.equals("transfer-encoding", in: field.name):
            try takeCoding(field.value, in: input)
        default: break
        }
    }

    private mutating func takeHost(
        _ value: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard seen.host == nil else { throw .missingHost }
        guard value.isEmpty || input.isHost(in: value) else { throw .badHost }
        seen.host = value
    }

    private mutating func takeExpectation(
        _ value: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard input.equals("100-continue", in: value) else { throw .unknownExpectation }
        head.expectsContinue = head.version == .http11
    }

    private mutating func takeConnection(_ value: Range<Int>, in input: UnsafeRawBufferPointer) {
        input.forEachElement(of: value) { element in
            if input.equals("close", in: element) { seen.closes = true }
            if input.equals("keep-alive", in: element) { seen.keepsAlive = true }
            if input.equals("upgrade", in: element) { seen.connectionUpgrades = true }
        }
    }

    private mutating func takeLength(
        _ value: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard seen.contentLength == nil else { throw .badLength }
        guard !seen.isChunked else { throw .twoLengths }
        guard !value.isEmpty, input[value].allSatisfy(\.isDigit) else { throw .badLength }
        guard let length = input.decimal(in: value) else { throw .bodyTooLarge }
        seen.contentLength = length
    }

    private mutating func takeCoding(
        _ value: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard seen.contentLength == nil else { throw .twoLengths }
        guard head.version == .http11 else { throw .unknownCoding }
        guard !seen.isChunked, input.equals("chunked", in: value) else { throw .unknownCoding }
        seen.isChunked = true
    }

    // MARK: The end

    private mutating func finish(_ input: UnsafeRawBufferPointer) throws(HTTPParseError) -> HTTPRequestHead {
        guard head.version == .http10 || seen.host != nil else { throw .missingHost }
        head.host = head.host ?? seen.host
        head.body = seen.isChunked ? .chunked : seen.contentLength.map { .length($0) } ?? .none
        head.keepsAlive = !seen.closes && (head.version == .http11 || seen.keepsAlive)
        head.wantsUpgrade = seen.connectionUpgrades && seen.namesUpgrade && head.version == .http11
        head.byteCount = scanner.lineStart
        head.repetition = .none
        head.fields.bytes.append(contentsOf: input[0..<scanner.lineStart])
        scanner = HTTPHeadScanner()
        hasRequestLine = false
        skippedBytes = 0
        seen = SeenFields()
        return head
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer, in range: Range<Int>) -> Bool {
        UnsafeRawBufferPointer(rebasing: self[range])
            .hasSameBytes(as: UnsafeRawBufferPointer(rebasing: other[range]))
    }

    /// Whether the bytes of `range` may be a host with an optional port: letters, digits, `.-_~`, or an IPv6
    /// address in brackets; then nothing or a colon and up to five digits.
    func isHost(in range: Range<Int>) -> Bool {
        var index = range.lowerBound
        if index < range.upperBound, self[index] == 0x5b {
            index &+= 1
            while index < range.upperBound,
                self[index].hexDigitValue != nil || ":.".utf8.contains(self[index])
            {
                index &+= 1
            }
            guard index < range.upperBound, self[index] == 0x5d, index > range.lowerBound &+ 2 else {
                return false
            }
            index &+= 1
        } else {
            while index < range.upperBound, self[index].isHostCharacter { index &+= 1 }
            guard index > range.lowerBound else { return false }
        }
        guard index < range.upperBound else { return true }
        guard self[index] == 0x3a, range.upperBound &- index <= 6 else { return false }
        return self[(index &+ 1)..<range.upperBound].allSatisfy(\.isDigit)
    }
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool {
        isDigit || (self | 0x20) &- 0x61 < 26 || self == 0x2e || self == 0x2d || self == 0x5f || self == 0x7e
    }
}
