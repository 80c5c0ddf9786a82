// Feeds bytes to parsers as a network would: whole, byte by byte, and cut at random places.

import HearthWire
import Testing

/// How a message arrives. Every parser must find the same in each.
enum Arrival: CaseIterable, CustomTestStringConvertible {
    case whole, byteByByte, inTwos, inSevens

    var pieceByteCount: Int {
        switch self {
        case .whole: Int.max
        case .byteByByte: 1
        case .inTwos: 2
        case .inSevens: 7
        }
    }

    var testDescription: String { "\(self)" }
}

/// What a connection understood: each request with its body, and the error that ended it.
struct Understood: Equatable {
    var requests: [String] = []
    var bodies: [String] = []
    var error: HTTPParseError?
    /// Bytes that were not used.
    var unread = 0
}

/// Unread input of a connection and the parsers that look at it.
struct RequestFeed {
    var parser: HTTPRequestParser
    var decoder: HTTPBodyDecoder?
    var input: [UInt8] = []
    var result = Understood()
    var body: [UInt8] = []
    var bodyLimit = 1 << 20

    init(limits: HTTPLimits = HTTPLimits()) {
        parser = HTTPRequestParser(limits: limits)
    }

    static func run(_ text: String, arrival: Arrival, limits: HTTPLimits = HTTPLimits()) -> Understood {
        run(Array(text.utf8), arrival: arrival, limits: limits)
    }

    static func run(_ bytes: [UInt8], arrival: Arrival, limits: HTTPLimits = HTTPLimits()) -> Understood {
        var feed = RequestFeed(limits: limits)
        var rest = bytes[...]
        while !rest.isEmpty && feed.result.error == nil {
            feed.input.append(contentsOf: rest.prefix(arrival.pieceByteCount))
            rest = rest.dropFirst(arrival.pieceByteCount)
            feed.digest()
        }
        feed.result.unread = feed.input.count
        return feed.result
    }

    /// Takes everything out of the input that is complete.
    mutating func digest() {
        do {
            while try takeOne() {}
        } catch {
            result.error = error
        }
    }

    private mutating func takeOne() throws(HTTPParseError) -> Bool {
        if decoder != nil { return try takeBody() }
        guard let head = try nextHead() else { return false }
        result.requests.append(Self.describe(head))
        input.removeFirst(head.byteCount)
        decoder = try HTTPBodyDecoder(head.body, limit: bodyLimit)
        return true
    }

    private mutating func nextHead() throws(HTTPParseError) -> HTTPRequestHead? {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: input)
        return try parser.next(in: UnsafeRawBufferPointer(copy))
    }

    private mutating func takeBody() throws(HTTPParseError) -> Bool {
        guard var decoder else { return false }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: input)
        let piece = try decoder.next(in: UnsafeRawBufferPointer(copy))
        body += input[piece.bytes]
        input.removeFirst(piece.consumed)
        self.decoder = piece.isLast ? nil : decoder
        if piece.isLast {
            result.bodies.append(String(decoding: body, as: UTF8.self))
            body = []
        }
        return piece.isLast || piece.consumed > 0
    }

    /// Everything the head says, in one line.
    static func describe(_ head: HTTPRequestHead) -> String {
        var words = ["\(head.method)", head.fields.text(head.path)]
        if let query = head.query { words.append("?" + head.fields.text(query)) }
        if let host = head.host { words.append("host=" + head.fields.text(host)) }
        words.append("\(head.body)")
        if head.version == .http10 { words.append("1.0") }
        if !head.keepsAlive { words.append("close") }
        if head.expectsContinue { words.append("continue") }
        if head.wantsUpgrade { words.append("upgrade") }
        return words.joined(separator: " ")
    }
}
