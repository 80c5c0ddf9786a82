// A server's way of a push, without its sockets and files.
import HearthCore
import HearthEngine
import HearthJSON
import HearthStorage
import HearthTesting
import HearthWire

/// A database that is pushed to.
struct Pushes: ~Copyable {
    /// A request was not what the benchmark sends.
    struct Unexpected: Error {}

    private var database: Database
    private var random: SeededRandom
    private var parser = HTTPRequestParser()
    private let now: Int64
    private var position: Position = 0
    private(set) var checksum = Checksum()

    init(onto state: State, random: SeededRandom) {
        database = Database(epoch: "bench", state: state)
        self.random = random
        now = state.time + 1
    }

    /// Commits a new child and returns its key.
    mutating func commit(_ draft: Draft, at path: Path) throws(Refusal) -> Key {
        let key = database.pushID(now: now, using: &random)
        let proposal = try database.prepare(.set(path.appending(key), draft), now: now)
        let record = EncodedRecord(
            JournalRecord(namespace: "default", .commit(proposal.commit, session: nil)))
        position += 1
        let publication = database.commit(proposal, at: position)
        database.durable(upTo: publication.position)
        checksum.add(record.byteCount)
        checksum.add(publication.after.root.weight)
        return key
    }

    /// Reads a POST, commits it and writes the answer.
    mutating func answer(_ request: [UInt8]) throws {
        guard let head = try request.withUnsafeBytes({ try parser.next(in: $0) }) else { throw Unexpected() }
        let call = try RESTCall(head)
        let draft = try DraftReader.draft(Array(request[head.byteCount...]), at: call.location.path)
        let key = try commit(draft, at: call.location.path)
        var reply = RESTReply(to: head, call)
        reply.cursor = database.cursor(of: database.newest)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(key.text)
        writer.endObject()
        var output: [UInt8] = []
        _ = reply.append(json: writer.take(), to: &output)
        checksum.add(output.count)
    }
}

/// A push as curl sends it.
enum PushRequest {
    static func bytes(_ message: Node) -> [UInt8] {
        let body = NodeSerializer.bytes(of: message)
        let head = """
            POST /rooms/lobby/messages.json HTTP/1.1\r
            Host: 127.0.0.1:9000\r
            User-Agent: curl/7.88.1\r
            Accept: */*\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return Array(head.utf8) + body
    }
}
