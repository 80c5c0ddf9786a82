// Hands the body of an answer on while it arrives.

internal import HearthWire

/// Takes what a body consists of, in order. The bytes are void after the call.
public typealias ByteSink = (UnsafeRawBufferPointer) throws(ClientError) -> Void

/// The body of one answer.
struct AnswerBody {
    private let connection: Connection
    private let server: String
    private let patience: Duration
    private var decoder: HTTPBodyDecoder

    /// Begins behind the head of an answer.
    init(
        _ framing: HTTPBodyFraming, on connection: Connection, server: String, patience: Duration
    ) throws(ClientError) {
        self.connection = connection
        self.server = server
        self.patience = patience
        do throws(HTTPParseError) {
            decoder = try HTTPBodyDecoder(framing, limit: .max)
        } catch {
            throw .badAnswer(server: server, reason: error.message)
        }
    }

    /// Gives all of it to `sink`; returns the number of bytes.
    ///
    /// - Throws: `cutOff` when the connection ends before the body does.
    mutating func read(into sink: ByteSink) throws(ClientError) -> Int {
        var total = 0
        while true {
            let piece = try nextPiece()
            if !piece.bytes.isEmpty {
                try sink(UnsafeRawBufferPointer(rebasing: connection.unreadBytes[piece.bytes]))
                total += piece.bytes.count
            }
            connection.drop(piece.consumed)
            if piece.isLast { return total }
            if piece.consumed > 0 { continue }
            guard try connection.receive(during: .receiving, atMost: patience) else {
                guard decoder.mayEnd else { throw .cutOff(server: server, during: .receiving) }
                return total
            }
        }
    }

    private mutating func nextPiece() throws(ClientError) -> HTTPBodyPiece {
        do throws(HTTPParseError) {
            return try decoder.next(in: connection.unreadBytes)
        } catch {
            throw .badAnswer(server: server, reason: error.message)
        }
    }
}
