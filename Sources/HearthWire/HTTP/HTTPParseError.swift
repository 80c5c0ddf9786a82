// Why the bytes of a peer are not HTTP: a status to answer with and a sentence that names the fault.

/// A message that cannot be understood, or that is larger than allowed.
///
/// Where the next message begins is then unknown, so the connection is closed after the answer.
/// The texts are constants: nothing of the message is repeated in them.
public struct HTTPParseError: Error, Equatable, Sendable {
    /// The status to answer with, 400…599.
    public let status: Int
    /// What is wrong and, where it helps, what is accepted.
    public let message: String

    /// Makes an error; `message` must not repeat bytes of the peer.
    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    static func malformed(_ message: String) -> HTTPParseError {
        HTTPParseError(status: 400, message: message)
    }

    static var bareLineFeed: HTTPParseError { .malformed("Lines must end with CR LF, not with a bare LF.") }
    static var folding: HTTPParseError {
        .malformed("A header line must not begin with white space: folded header lines are obsolete.")
    }
    static var badName: HTTPParseError {
        .malformed(
            "A header line must be a name of letters, digits and !#$%&'*+-.^_`|~, a colon, and a value.")
    }
    static var badValue: HTTPParseError { .malformed("A header value must not contain control characters.") }
    static var badRequestLine: HTTPParseError {
        .malformed("The request line must be: method, space, target, space, HTTP/1.1.")
    }
    static var badTarget: HTTPParseError {
        .malformed("The request target must be a path that begins with '/', or an http URL with a host.")
    }
    static var badHost: HTTPParseError {
        .malformed("Host must be one host name or address with an optional port.")
    }
    static var missingHost: HTTPParseError {
        .malformed("An HTTP/1.1 request needs exactly one Host header.")
    }
    static var badLength: HTTPParseError {
        .malformed("Content-Length must be given once, as decimal digits.")
    }
    static var twoLengths: HTTPParseError {
        .malformed("Content-Length and Transfer-Encoding must not be given together.")
    }
    static var badChunk: HTTPParseError {
        .malformed("A chunk must be its size in hexadecimal digits, CR LF, that many bytes, CR LF.")
    }
    static var badStatusLine: HTTPParseError {
        .malformed("The status line must be: HTTP/1.1, space, three digits, space, reason.")
    }
    static var unknownCoding: HTTPParseError {
        HTTPParseError(status: 501, message: "The only transfer coding understood is 'chunked'.")
    }
    static var unknownVersion: HTTPParseError {
        HTTPParseError(status: 505, message: "The versions understood are HTTP/1.1 and HTTP/1.0.")
    }
    static var unknownExpectation: HTTPParseError {
        HTTPParseError(status: 417, message: "The only expectation understood is 100-continue.")
    }
    static var headTooLarge: HTTPParseError {
        HTTPParseError(status: 431, message: "The header section is larger than this server accepts.")
    }
    static var tooManyFields: HTTPParseError {
        HTTPParseError(status: 431, message: "There are more header lines than this server accepts.")
    }
    static var targetTooLong: HTTPParseError {
        HTTPParseError(status: 414, message: "The request target is longer than this server accepts.")
    }
    static var bodyTooLarge: HTTPParseError {
        HTTPParseError(status: 413, message: "The body is larger than this server accepts.")
    }
}
