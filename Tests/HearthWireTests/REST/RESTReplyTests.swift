// The bytes of REST answers.

import HearthCore
import HearthWire
import Testing

@Suite("A REST reply")
struct RESTReplyTests {
    static let cors =
        "Access-Control-Allow-Origin: *\r\n"
        + "Access-Control-Expose-Headers: ETag, Hearth-Cursor, Retry-After\r\n"

    static func reply(_ line: String, _ write: (RESTReply, inout [UInt8]) -> Void) throws -> String {
        let request = try head(line)
        var reply = RESTReply(to: request, try RESTCall(request))
        reply.cursor = Cursor(epoch: "k3Jx9a", revision: 1042)
        reply.etag = HTTPFieldValue("null_etag")
        var output: [UInt8] = []
        write(reply, &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("with a value carries the cursor, the tag and the JSON")
    func value() throws {
        let text = try Self.reply("GET /a.json") { $0.append(json: Array("[1]".utf8), to: &$1) }
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Cache-Control: no-cache\r\n"
                + Self.cors + "Hearth-Cursor: k3Jx9a-1042\r\nETag: null_etag\r\nContent-Length: 3\r\n\r\n[1]")
    }

    @Test("to HEAD is the head of the reply to GET")
    func headOnly() throws {
        let get = try Self.reply("GET /a.json") { $0.append(json: Array("[1]".utf8), to: &$1) }
        let head = try Self.reply("HEAD /a.json") { $0.append(json: Array("[1]".utf8), to: &$1) }
        #expect(head + "[1]" == get)
    }

    @Test("that shall be silent has no body, unless it is no success")
    func silent() throws {
        let text = try Self.reply("PUT /a.json?print=silent") { $0.append(json: Array("[1]".utf8), to: &$1) }
        #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\nCache-Control"))
        #expect(text.hasSuffix("Hearth-Cursor: k3Jx9a-1042\r\nETag: null_etag\r\n\r\n"))
        let stale = try Self.reply("PUT /a.json?print=silent") {
            $0.append(json: Array("1".utf8), status: 412, to: &$1)
        }
        #expect(stale.hasPrefix("HTTP/1.1 412 ") && stale.hasSuffix("\r\n\r\n1"))
    }

    @Test("that is unchanged has neither body nor type")
    func notModified() throws {
        let text = try Self.reply("GET /a.json") { $0.appendEmpty(status: 304, to: &$1) }
        #expect(text.hasPrefix("HTTP/1.1 304 Not Modified\r\n") && text.hasSuffix("ETag: null_etag\r\n\r\n"))
        #expect(!text.contains("Content-"))
    }

    @Test("to a script is a call, with line ends of old engines escaped")
    func script() throws {
        let json = Array("{\"a\":\"\u{2028}x\u{2029}\u{20ac}\"}".utf8)
        let text = try Self.reply("GET /a.json?callback=app.got") { $0.append(json: json, to: &$1) }
        let body = "/**/app.got({\"a\":\"\\u2028x\\u2029\u{20ac}\"});"
        #expect(text.hasSuffix("Content-Length: \(body.utf8.count)\r\n\r\n" + body))
        #expect(text.contains("\r\nContent-Type: application/javascript; charset=utf-8\r\n"))
        #expect(text.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
    }

    @Test("to be saved names the file")
    func download() throws {
        let text = try Self.reply("GET /a.json?download=my.txt") { $0.append(json: [0x31], to: &$1) }
        #expect(text.contains("\r\nContent-Disposition: attachment; filename=\"my.txt\"\r\n"))
    }

    @Test("with an error is plain JSON without cursor and tag, whatever form was asked for")
    func error() throws {
        let text = try Self.reply("GET /a.json?callback=f&download=a&print=pretty") {
            $0.append(.permissionDenied, to: &$1)
        }
        #expect(
            text == "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Cache-Control: no-cache\r\n" + Self.cors
                + "Content-Length: 29\r\n\r\n{\"error\":\"Permission denied\"}")
    }

    @Test("with an error that passes says when to come back, and one about the method which there are")
    func hints() throws {
        let busy = try Self.reply("GET /a.json") {
            $0.append(RESTError(status: 503, text: "Stopping."), retryAfterSeconds: 1, to: &$1)
        }
        #expect(busy.contains("\r\nRetry-After: 1\r\n"))
        let method = try Self.reply("GET /a.json") { $0.append(.badMethod, to: &$1) }
        #expect(method.contains("\r\nAllow: GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS\r\n"))
    }

    @Test("to what was no request closes the connection")
    func malformed() {
        var output: [UInt8] = []
        let error = RESTError(HTTPParseError(status: 431, message: "Too \"large\"."))
        #expect(!RESTReply().append(error, to: &output))
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 431 ") && text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("{\"error\":\"Too \\\"large\\\".\"}"))
    }

    @Test("that is a stream is open to any page and ends with the connection")
    func stream() throws {
        let text = try Self.reply("GET /a.json") { $0.appendStreamHead(to: &$1) }
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                + "Cache-Control: no-cache\r\n"
                + Self.cors + "X-Accel-Buffering: no\r\nConnection: close\r\n\r\n")
    }

    @Test("to a preflight allows the methods and the headers that were asked for")
    func preflight() throws {
        let request = try head(
            "OPTIONS /a.json", "Origin: http://x", "Access-Control-Request-Headers: x-firebase-etag, if-match"
        )
        var output: [UInt8] = []
        #expect(RESTReply(to: request).appendPreflight(to: request, output: &output))
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(
            text.contains(
                "\r\nAccess-Control-Allow-Methods: GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS\r\n"))
        #expect(text.contains("\r\nAccess-Control-Allow-Headers: x-firebase-etag, if-match\r\n"))
        #expect(text.contains(Self.cors))
    }

    @Test("to a preflight repeats nothing but header names")
    func oddPreflight() throws {
        let request = try head("OPTIONS /a.json", "Access-Control-Request-Headers: a; <b>")
        var output: [UInt8] = []
        RESTReply(to: request).appendPreflight(to: request, output: &output)
        #expect(!String(decoding: output, as: UTF8.self).contains("<b>"))
    }

    static let refusals: [(Refusal, Int, String)] = [
        (.permissionDenied, 401, "Permission denied"),
        (.tooDeep, 400, "Invalid data; the value would stand deeper than 32 levels."),
        (.conditionFailed, 412, "ETag mismatch."),
        (
            .tooLarge("The query would sort 2,000,000 children."), 400,
            "The query would sort 2,000,000 children."
        ),
    ]

    @Test("tells what the engine refuses in the words that clients know", arguments: refusals)
    func refusal(refusal: Refusal, status: Int, text: String) {
        #expect(RESTError(refusal) == RESTError(status: status, text: text))
    }

    @Test("tells what is wrong with a body, and where")
    func bodies() {
        let value = #expect(throws: DraftError.self) {
            try DraftReader.draft(Array("{\"a\":\n{\"b.c\":1}}".utf8))
        }
        #expect(
            value.map { RESTError($0, isUpdate: false).text }
                == "Invalid data; couldn't parse JSON object, array, or value. "
                + "line 2, column 2: a key must not contain "
                + "'.' (none of . $ # [ ] / is allowed)")
        let update = #expect(throws: DraftError.self) { try UpdateReader.changes(Array("[1]".utf8)) }
        #expect(
            update.map { RESTError($0, isUpdate: true).text }
                == "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid "
                + "key names? "
                + "line 1, column 1: an update must be a JSON object")
        #expect(RESTError(.invalidRules("5:1: Parse error.")).text == "5:1: Parse error.\n")
    }

    @Test("names the index that is missing")
    func index() throws {
        let error = RESTError(.indexMissing(index: "len", path: try Path("/boats")))
        #expect(
            error.text == "Index not defined, add \".indexOn\": \"len\", for path \"/boats\", to the rules")
        #expect(String(decoding: error.body, as: UTF8.self).contains("\\\"/boats\\\""))
    }
}
