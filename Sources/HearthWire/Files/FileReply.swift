// The head of an answer that brings a file, a part of one, or word that the client has it already.

/// What is told of a file, whatever part of it is sent.
public struct FileReply: Sendable {
    /// What a request comes to.
    public enum Answer: Equatable, Sendable {
        /// Send these bytes of the file, which may be all and may be none.
        case content(Range<Int>, isPart: Bool)
        /// The client has it.
        case notModified
        /// What was asked for is beyond the file's end.
        case unsatisfiable
    }

    /// How many bytes the file has.
    public let size: Int
    /// What changes with the content, in quotes.
    public let tag: HTTPFieldValue
    /// The date of the last change, as HTTP writes it.
    public let date: HTTPFieldValue
    /// What the file is.
    public var contentType: HTTPContentType
    /// Whether pages of any origin may read it.
    public var isOpenToAnyOrigin = false
    /// Further headers, in order.
    public var fields: [(name: StaticString, value: HTTPFieldValue)] = []

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - tag: characters of base64url or the like, without quotes.
    ///   - modified: seconds since 1970; times that no date can name count as the nearest one.
    public init(size: Int, tag: String, modified: Int, contentType: HTTPContentType) {
        self.size = size
        self.tag = HTTPFieldValue("\"\(tag)\"") ?? HTTPFieldValue("\"\"")
        var bytes: [UInt8] = []
        HTTPDate.append(unixSeconds: min(max(0, modified), 253_402_300_799), to: &bytes)
        date = HTTPFieldValue(String(decoding: bytes, as: UTF8.self)) ?? HTTPFieldValue("")
        self.contentType = contentType
    }

    /// What a request comes to.
    public func answer(to request: FileRequest) -> Answer {
        if request.has(tag: tag.text, date: date.text) { return .notModified }
        switch request.range(tag: tag.text, date: date.text, size: size) {
        case .whole: return .content(0..<size, isPart: false)
        case .part(let range): return .content(range, isPart: true)
        case .unsatisfiable: return .unsatisfiable
        }
    }

    /// Appends the head of an answer; for `content` the caller appends these bytes, unless the request was
    /// HEAD.
    ///
    /// - Returns: whether the connection stays open after it.
    public func appendHead(_ answer: Answer, to request: FileRequest, output: inout [UInt8]) -> Bool {
        var head = head(of: answer)
        head.version = request.version
        head.keepsAlive = request.keepsAlive
        head.isOpenToAnyOrigin = isOpenToAnyOrigin
        head.fields += [(name: "ETag", value: tag), (name: "Last-Modified", value: date)]
        head.fields += fields
        return HTTPResponseWriter.append(head, to: &output)
    }

    private func head(of answer: Answer) -> HTTPResponseHead {
        switch answer {
        case .content(let range, let isPart):
            var head = HTTPResponseHead(status: isPart ? 206 : 200, body: .length(range.count))
            head.contentType = contentType
            head.fields.append((name: "Accept-Ranges", value: HTTPFieldValue("bytes")))
            if isPart { head.append(contentRange: "\(range.lowerBound)-\(range.upperBound - 1)", of: size) }
            return head
        case .notModified:
            var head = HTTPResponseHead(status: 304, body: .none)
            head.contentType = nil
            return head
        case .unsatisfiable:
            var head = HTTPResponseHead(status: 416, body: .none)
            head.contentType = nil
            head.append(contentRange: "*", of: size)
            return head
        }
    }
}

extension HTTPResponseHead {
    fileprivate mutating func append(contentRange range: String, of size: Int) {
        guard let value = HTTPFieldValue("bytes \(range)/\(size)") else { return }
        fields.append((name: "Content-Range", value: value))
    }
}
