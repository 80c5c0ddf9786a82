// Turns the head of an answer, and the frames of its body, into bytes.

public import HearthCore

/// Appends answers to output bytes. Constant lines are copied, nothing is formatted but numbers.
public enum HTTPResponseWriter {
    /// The interim answer to `Expect: 100-continue`.
    public static let continueBytes = [UInt8]("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    /// The chunk that ends a body of chunks.
    public static let lastChunkBytes = [UInt8]("0\r\n\r\n".utf8)

    /// Appends `head`, the empty line included.
    ///
    /// The caller appends the body in the promised form, and none when the request was HEAD: the head then
    /// tells what a GET would. Without a body, an answer that could have one says `Content-Length: 0`.
    /// - Returns: whether the connection stays open after this answer.
    @discardableResult
    public static func append(_ head: HTTPResponseHead, to output: inout [UInt8]) -> Bool {
        appendStart(of: head, to: &output)
        return appendEnd(of: head, to: &output)
    }

    /// Appends the status line and the headers; more of them may be appended before `appendEnd`.
    static func appendStart(of head: HTTPResponseHead, to output: inout [UInt8]) {
        let isPlain = head.status == 200 && head.contentType == .json && head.isOpenToAnyOrigin
        if isPlain && head.caching == .noCache {
            output.append(plainHead)
        } else {
            appendGeneral(head, to: &output)
        }
        for field in head.fields {
            output.append(field.name)
            output.append(": ")
            output.append(contentsOf: field.value.text.utf8)
            output.append("\r\n")
        }
    }

    /// Appends the lines that say how the body ends, and the empty line.
    static func appendEnd(of head: HTTPResponseHead, to output: inout [UInt8]) -> Bool {
        let keepsAlive = appendFraming(of: head, to: &output)
        output.append("\r\n")
        return keepsAlive
    }

    /// Appends one chunk of a body; nothing for no bytes, since an empty chunk would end the body.
    public static func appendChunk(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output.append(hexadecimal: bytes.count)
        output.append("\r\n")
        output.append(contentsOf: bytes)
        output.append("\r\n")
    }

    /// Appends one chunk of a body; nothing for no bytes, since an empty chunk would end the body.
    public static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        bytes.withUnsafeBytes { appendChunk($0, to: &output) }
    }

    /// Appends the head of an answer with a value in JSON of so many bytes and with the cursor of what was
    /// read, as most of them are, in one go.
    ///
    /// - Parameter cursor: a whole one, by its parts.
    public static func appendPlain(
        byteCount: Int, cursor: (epoch: String, revision: Revision), version: HTTPVersion, keepsAlive: Bool,
        to output: inout [UInt8]
    ) {
        let length = plainHead.utf8CodeUnitCount + cursor.epoch.utf8.count + 128
        output.append(addingCapacity: length) { span in
            span.withUnsafeMutableBufferPointer { free, count in
                var room = HTTPHeadRoom(free)
                room.append(plainHead)
                room.append("Hearth-Cursor: ")
                room.append(utf8: cursor.epoch)
                room.append("-")
                room.append(decimal: Int(cursor.revision))
                room.append("\r\nContent-Length: ")
                room.append(decimal: byteCount)
                switch (keepsAlive, version) {
                case (false, _): room.append("\r\nConnection: close\r\n\r\n")
                case (true, .http10): room.append("\r\nConnection: keep-alive\r\n\r\n")
                case (true, .http11): room.append("\r\n\r\n")
                }
                count = room.count
            }
        }
    }

    /// What nearly every answer begins with.
    private static var plainHead: StaticString {
        """
        HTTP/1.1 200 OK\r
        Content-Type: application/json; charset=utf-8\r
        Cache-Control: no-cache\r
        Access-Control-Allow-Origin: *\r
        Access-Control-Expose-Headers: ETag, Hearth-Cursor, Retry-After\r\n
        """
    }

    private static func appendGeneral(_ head: HTTPResponseHead, to output: inout [UInt8]) {
        output.append(HTTPStatus.line(head.status))
        if let type = head.contentType { append(type, to: &output) }
        switch head.caching {
        case .noCache: output.append("Cache-Control: no-cache\r\n")
        case .noStore: output.append("Cache-Control: no-store\r\n")
        case .seconds(let seconds):
            output.append("Cache-Control: max-age=")
            output.append(decimal: seconds)
            output.append("\r\n")
        }
        if head.isOpenToAnyOrigin {
            output.append("Access-Control-Allow-Origin: *\r\n")
            output.append("Access-Control-Expose-Headers: ETag, Hearth-Cursor, Retry-After\r\n")
        }
    }

    private static func append(_ type: HTTPContentType, to output: inout [UInt8]) {
        switch type {
        case .json: output.append("Content-Type: application/json; charset=utf-8\r\n")
        case .javaScript: output.append("Content-Type: application/javascript; charset=utf-8\r\n")
        case .eventStream: output.append("Content-Type: text/event-stream; charset=utf-8\r\n")
        case .text: output.append("Content-Type: text/plain; charset=utf-8\r\n")
        case .html: output.append("Content-Type: text/html; charset=utf-8\r\n")
        case .other(let value):
            output.append("Content-Type: ")
            output.append(contentsOf: value.text.utf8)
            output.append("\r\n")
        }
    }

    private static func appendFraming(of head: HTTPResponseHead, to output: inout [UInt8]) -> Bool {
        var keepsAlive = head.keepsAlive
        switch head.body {
        case .none where HTTPStatus.forbidsBody(head.status): break
        case .none: output.append("Content-Length: 0\r\n")
        case .length(let length):
            output.append("Content-Length: ")
            output.append(decimal: length)
            output.append("\r\n")
        case .chunked where head.version == .http11: output.append("Transfer-Encoding: chunked\r\n")
        case .chunked, .untilClose: keepsAlive = false
        }
        if !keepsAlive {
            output.append("Connection: close\r\n")
        } else if head.version == .http10 {
            output.append("Connection: keep-alive\r\n")
        }
        return keepsAlive
    }
}
