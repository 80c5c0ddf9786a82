// A client's end of a connection: requests go out, answers come back in the same order.
import HearthWire

/// An answer with what the simulation looks at.
struct Answer {
    let status: Int
    /// By lower-case name.
    let headers: [String: String]
    var body: [UInt8] = []

    /// The revision of the cursor that it carries.
    func revision(of epoch: String) -> Int64? {
        guard let cursor = headers["hearth-cursor"], cursor.hasPrefix(epoch + "-") else { return nil }
        return Int64(cursor.dropFirst(epoch.count + 1))
    }
}

/// What comes over a connection.
enum Happening {
    case answer(Answer)
    /// An answer without end begins.
    case begins(Answer)
    /// More of it.
    case bytes([UInt8])
    /// Nothing more will come.
    case ended
}

/// One connection of a client.
final class Line {
    let wire: Wire
    /// The requests that are not answered, oldest first.
    private var methods: [HTTPMethod] = []
    private var buffer: [UInt8] = []
    private var parser = HTTPResponseParser()
    private var answer: Answer?
    private var decoder: HTTPBodyDecoder?
    private var isStream = false
    private var hasEnded = false
    /// For how many looks nothing has come.
    private(set) var silence = 0

    init(_ wire: Wire) {
        self.wire = wire
    }

    /// How many requests are not answered.
    var openCount: Int { methods.count }

    /// Sends a request.
    func ask(_ method: HTTPMethod, _ target: String, _ headers: [String] = [], body: String? = nil) {
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let name = Line.name(of: method)
        let head = ["\(name) \(target) HTTP/1.1", "Host: localhost"] + headers + length
        methods.append(method)
        wire.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8))
    }

    /// Leaves: with a word, or without one that would reach the server.
    func leave(silently: Bool) {
        wire.leave(silently: silently)
        hasEnded = true
    }

    /// Takes what has arrived.
    func receive() throws(Violation) -> [Happening] {
        guard !hasEnded else { return [] }
        let arrived = wire.takeArrived()
        silence = arrived.isEmpty ? silence + 1 : 0
        buffer += arrived
        var happenings: [Happening] = []
        while let next = try next() { happenings.append(next) }
        if wire.isOver {
            hasEnded = true
            happenings.append(.ended)
        }
        return happenings
    }

    private func next() throws(Violation) -> Happening? {
        do throws(HTTPParseError) {
            guard decoder != nil else { return try nextHead() }
            return try nextPiece()
        } catch {
            throw Violation(
                "an answer cannot be read: \(error): \(String(decoding: buffer.prefix(200), as: UTF8.self))")
        }
    }

    private func nextHead() throws(HTTPParseError) -> Happening? {
        let method = methods.first ?? .get
        let bytes = buffer
        guard !bytes.isEmpty, let head = try parse(bytes, method) else { return nil }
        buffer.removeFirst(head.byteCount)
        let answer = Answer(status: head.status, headers: Line.headers(head.fields.bytes))
        decoder = try HTTPBodyDecoder(head.body, limit: .max)
        self.answer = answer
        isStream = head.body == .untilClose && head.status == 200
        return isStream ? .begins(answer) : try nextPiece()
    }

    private func parse(_ bytes: [UInt8], _ method: HTTPMethod) throws(HTTPParseError) -> HTTPReceivedResponse?
    {
        var result: Result<HTTPReceivedResponse?, HTTPParseError> = .success(nil)
        bytes.withUnsafeBytes { bytes in
            do throws(HTTPParseError) {
                result = .success(try parser.next(in: bytes, answering: method))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    private func nextPiece() throws(HTTPParseError) -> Happening? {
        guard var decoder else { return nil }
        if isStream {
            guard !buffer.isEmpty else { return nil }
            defer { buffer = [] }
            return .bytes(buffer)
        }
        while true {
            let piece = try Line.piece(buffer, &decoder)
            answer?.body += buffer[piece.bytes]
            buffer.removeFirst(piece.consumed)
            guard !piece.isLast else { break }
            guard piece.consumed > 0 else {
                self.decoder = decoder
                return nil
            }
        }
        self.decoder = nil
        if !methods.isEmpty { methods.removeFirst() }
        defer { answer = nil }
        return answer.map { .answer($0) }
    }

    private static func piece(
        _ bytes: [UInt8], _ decoder: inout HTTPBodyDecoder
    ) throws(HTTPParseError) -> HTTPBodyPiece {
        var copy = decoder
        let result: Result<HTTPBodyPiece, HTTPParseError> = bytes.withUnsafeBytes { bytes in
            do throws(HTTPParseError) {
                return .success(try copy.next(in: bytes))
            } catch {
                return .failure(error)
            }
        }
        decoder = copy
        return try result.get()
    }

    private static func name(of method: HTTPMethod) -> String {
        switch method {
        case .put: "PUT"
        case .post: "POST"
        case .patch: "PATCH"
        case .delete: "DELETE"
        default: "GET"
        }
    }

    private static func headers(_ bytes: [UInt8]) -> [String: String] {
        var headers: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(
                line[line.index(after: colon)...].drop { $0 == " " })
        }
        return headers
    }
}
