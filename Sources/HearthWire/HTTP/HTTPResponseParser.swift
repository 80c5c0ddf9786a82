// Reads the heads of answers, for clients.

/// The head of an answer that was found to be well formed.
public struct HTTPReceivedResponse: Sendable {
    /// The bytes from the status line to the empty line, and the header lines in them.
    public internal(set) var fields = HTTPFields()
    /// 101, or 200…599; other interim answers are skipped.
    public internal(set) var status = 0
    /// How the body's end is found. What `HTTPBodyDecoder` needs.
    public internal(set) var body = HTTPBodyFraming.none
    /// Whether another request may be sent on this connection after the body.
    public internal(set) var keepsAlive = true
    /// How many bytes of input the head took, skipped interim answers included.
    public internal(set) var byteCount = 0
}

/// Finds the next answer's head in a connection's unread input; as strict about line ends and lengths as the
/// parser of requests, since an answer read wrongly is an answer to somebody else's question.
public struct HTTPResponseParser: Sendable {
    private let limits: HTTPLimits
    private var scanner = HTTPHeadScanner()
    private var response = HTTPReceivedResponse()
    private var version = HTTPVersion.http11
    private var headStart = 0
    private var hasStatusLine = false
    private var contentLength: Int?
    private var isChunked = false

    /// Starts at the first byte of a connection.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Returns the head at the front of `input`, or nil when its end has not arrived.
    ///
    /// Each call must be given at least the bytes of the call before; after a head the caller drops
    /// `byteCount` bytes.
    /// - Parameter method: what was asked; the answer to HEAD has no body.
    /// - Throws: an error whose status says nothing to a client; the text does. The connection is of no more
    ///   use.
    public mutating func next(
        in input: UnsafeRawBufferPointer, answering method: HTTPMethod
    ) throws(HTTPParseError) -> HTTPReceivedResponse? {
        while let line = try scanner.nextLine(in: input, limit: headStart + limits.headBytes) {
            if !hasStatusLine {
                try takeStatusLine(line, in: input)
            } else if !line.isEmpty {
                try takeField(line, in: input)
            } else if let response = finish(input, answering: method) {
                return response
            }
        }
        return nil
    }

    private mutating func takeStatusLine(
        _ line: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        let start = line.lowerBound
        guard line.count >= 12, input.equals("http/1.", in: start..<start + 7) else { throw .badStatusLine }
        guard input[start + 7] == 0x30 || input[start + 7] == 0x31 else { throw .unknownVersion }
        guard input[start + 8] == 0x20, let status = input.decimal(in: start + 9..<start + 12),
            line.count == 12 || input[start + 12] == 0x20, (100..<600).contains(status),
            !input.hasControl(in: start + 12..<line.upperBound)
        else { throw .badStatusLine }
        version = input[start + 7] == 0x30 ? .http10 : .http11
        response = HTTPReceivedResponse()
        response.status = status
        response.keepsAlive = version == .http11
        headStart = start
        hasStatusLine = true
    }

    private mutating func takeField(
        _ line: Range<Int>, in input: UnsafeRawBufferPointer
    ) throws(HTTPParseError) {
        guard response.fields.count < limits.fieldCount else { throw .tooManyFields }
        var field = try HTTPHeadScanner.field(in: input, line: line)
        if input.equals("content-length", in: field.name) {
            guard contentLength == nil, let length = input.decimal(in: field.value) else { throw .badLength }
            contentLength = length
        } else if input.equals("transfer-encoding", in: field.name) {
            guard !isChunked, input.equals("chunked", in: field.value) else { throw .unknownCoding }
            isChunked = true
        } else if input.equals("connection", in: field.name) {
            takeConnection(field.value, in: input)
        }
        guard contentLength == nil || !isChunked else { throw .twoLengths }
        field.moveBack(by: UInt32(headStart))
        response.fields.append(field)
    }

    private mutating func takeConnection(_ value: Range<Int>, in input: UnsafeRawBufferPointer) {
        input.forEachElement(of: value) { element in
            if input.equals("close", in: element) { response.keepsAlive = false }
            if input.equals("keep-alive", in: element) { response.keepsAlive = true }
        }
    }

    /// Ends a head; an interim answer is forgotten and gives nil.
    private mutating func finish(
        _ input: UnsafeRawBufferPointer, answering method: HTTPMethod
    ) -> HTTPReceivedResponse? {
        hasStatusLine = false
        defer {
            contentLength = nil
            isChunked = false
        }
        if response.status < 200 && response.status != 101 {
            headStart = scanner.lineStart
            return nil
        }
        if method == .head || HTTPStatus.forbidsBody(response.status) {
            response.body = .none
        } else {
            response.body = isChunked ? .chunked : contentLength.map { .length($0) } ?? .untilClose
        }
        if response.body == .untilClose { response.keepsAlive = false }
        response.byteCount = scanner.lineStart
        response.fields.bytes = Array(input[headStart..<scanner.lineStart])
        scanner = HTTPHeadScanner()
        headStart = 0
        return response
    }
}

extension HTTPField {
    fileprivate mutating func moveBack(by count: UInt32) {
        nameStart -= count
        nameEnd -= count
        valueStart -= count
        valueEnd -= count
    }
}
