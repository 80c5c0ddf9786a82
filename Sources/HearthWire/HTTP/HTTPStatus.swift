// The status lines that are written.

/// Status codes with their first lines ready to be sent.
enum HTTPStatus {
    /// The status line with its CR LF; a code without a line of its own is a programming error.
    static func line(_ status: Int) -> StaticString {
        switch status {
        case 100: "HTTP/1.1 100 Continue\r\n"
        case 101: "HTTP/1.1 101 Switching Protocols\r\n"
        case 200: "HTTP/1.1 200 OK\r\n"
        case 204: "HTTP/1.1 204 No Content\r\n"
        case 206: "HTTP/1.1 206 Partial Content\r\n"
        case 301: "HTTP/1.1 301 Moved Permanently\r\n"
        case 302: "HTTP/1.1 302 Found\r\n"
        case 303: "HTTP/1.1 303 See Other\r\n"
        case 304: "HTTP/1.1 304 Not Modified\r\n"
        case 307: "HTTP/1.1 307 Temporary Redirect\r\n"
        case 400...499: refusalLine(status)
        default: failureLine(status)
        }
    }

    private static func refusalLine(_ status: Int) -> StaticString {
        switch status {
        case 400: "HTTP/1.1 400 Bad Request\r\n"
        case 401: "HTTP/1.1 401 Unauthorized\r\n"
        case 403: "HTTP/1.1 403 Forbidden\r\n"
        case 404: "HTTP/1.1 404 Not Found\r\n"
        case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
        case 408: "HTTP/1.1 408 Request Timeout\r\n"
        case 409: "HTTP/1.1 409 Conflict\r\n"
        case 411: "HTTP/1.1 411 Length Required\r\n"
        case 412: "HTTP/1.1 412 Precondition Failed\r\n"
        case 413: "HTTP/1.1 413 Content Too Large\r\n"
        case 414: "HTTP/1.1 414 URI Too Long\r\n"
        case 415: "HTTP/1.1 415 Unsupported Media Type\r\n"
        case 416: "HTTP/1.1 416 Range Not Satisfiable\r\n"
        case 417: "HTTP/1.1 417 Expectation Failed\r\n"
        case 423: "HTTP/1.1 423 Locked\r\n"
        case 426: "HTTP/1.1 426 Upgrade Required\r\n"
        case 429: "HTTP/1.1 429 Too Many Requests\r\n"
        case 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n"
        default: preconditionFailure("no status line for \(status)")
        }
    }

    private static func failureLine(_ status: Int) -> StaticString {
        switch status {
        case 500: "HTTP/1.1 500 Internal Server Error\r\n"
        case 501: "HTTP/1.1 501 Not Implemented\r\n"
        case 503: "HTTP/1.1 503 Service Unavailable\r\n"
        case 505: "HTTP/1.1 505 HTTP Version Not Supported\r\n"
        case 507: "HTTP/1.1 507 Insufficient Storage\r\n"
        default: preconditionFailure("no status line for \(status)")
        }
    }

    /// Whether an answer with this status never has a body, nor a length.
    static func forbidsBody(_ status: Int) -> Bool {
        status < 200 || status == 204 || status == 304
    }
}
