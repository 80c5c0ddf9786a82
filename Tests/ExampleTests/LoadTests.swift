// The parts of the generator that decide what counts.
import Foundation
import Testing

@testable import HearthBenchmarks

@Suite("A generator")
struct LoadTests {
    private static let replies = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nEtag: 7\r\n\r\nhello",
        "HTTP/1.1 201 Created\r\ncontent-length:0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1a;x=y\r\n"
            + "abcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: t\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n\r\n\r\nHTTP/1.1",
    ]

    /// Feeds bytes in pieces of a size and returns the sums of replies after each piece.
    private func sums(_ text: String, _ form: ReplyReader.Form, pieces size: Int) throws -> [Int] {
        var reader = ReplyReader(form)
        var sum = 0
        let bytes = Array(text.utf8)
        return try stride(from: 0, to: bytes.count, by: size).map { start in
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            sum += try piece.withUnsafeBytes { try reader.read($0) }
            return sum
        }
    }

    @Test("finds the end of each reply, however it is cut", arguments: [1, 2, 3, 7, 64, 10_000])
    func replyEnds(size: Int) throws {
        let text = Self.replies.joined()
        #expect(try sums(text, .http, pieces: size).last == Self.replies.count)
        #expect(try sums(String(repeating: "+OK\r\n", count: 9), .redis, pieces: size).last == 9)
    }

    @Test("finds the end of a reply with its last byte, not before", arguments: replies)
    func lastByte(reply: String) throws {
        let sums = try sums(reply, .http, pieces: 1)
        #expect(sums.last == 1)
        #expect(sums.dropLast().allSatisfy { $0 == 0 })
    }

    @Test("knows the headers of the newest reply")
    func headers() throws {
        var reader = ReplyReader(.http)
        let first = Array(Self.replies[0].utf8)
        _ = try first.withUnsafeBytes { try reader.read($0) }
        #expect(reader.header("ETag") == "7")
        let second = Array(Self.replies[1].utf8)
        _ = try second.withUnsafeBytes { try reader.read($0) }
        #expect(reader.header("ETag") == nil)
    }

    @Test(
        "stops at a reply that tells of anything but success",
        arguments: [
            ("HTTP/1.1 503 Service Unavailable\r\n\r\n", ReplyReader.Form.http), ("-OOM\r\n", .redis),
            ("nonsense\r\n\r\n", .http),
        ])
    func failures(reply: String, form: ReplyReader.Form) {
        let error = #expect(throws: ComparisonFailure.self) { try sums(reply, form, pieces: 5) }
        #expect(error?.description.contains(reply.prefix(4)) == true)
    }

    @Test("finds the stamps of messages, however they are cut", arguments: [1, 2, 3, 7, 64, 10_000])
    func stamps(size: Int) {
        let text = #"data: {"@":12,"m":"a@b"}\#n\#n{"d":{"@":3456789}}{"@":x}"@@":5,6{"@":70"# + "}"
        var reader = StampReader()
        var found: [UInt64] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            piece.withUnsafeBytes { reader.read($0) { found.append($0) } }
        }
        #expect(found == [12, 3_456_789, 0, 5, 70])
    }

    @Test("tells quantiles to the microsecond, and to the millisecond beyond 131 ms")
    func quantiles() {
        var latencies = Latencies()
        #expect(latencies.quantile(0.5) == 0)
        for number in 1...100 { latencies.add(microseconds: UInt64(number)) }
        #expect(latencies.quantile(0.5) == 50)
        #expect(latencies.quantile(0.99) == 99)
        #expect(latencies.quantile(1) == 100)
        for _ in 0..<300 { latencies.add(microseconds: 250_900) }
        #expect(latencies.quantile(0.99) == 250_000)
        latencies.add(microseconds: .max)
        #expect(latencies.quantile(1) > 59_000_000)
        #expect(latencies.count == 401)
    }

    @Test("judges by the median of the ratios within the pairs", arguments: [true, false])
    func pairs(isRequestLine: Bool) {
        var pairs = Pairs()
        for (hearth, peer) in [(10.0, 5.0), (8, 8), (10, 12)] { pairs.add(hearth: hearth, peer: peer) }
        let relation: Figure.Relation = isRequestLine ? .peerToHearth : .hearthToPeer
        #expect(pairs.ratios(relation) == (isRequestLine ? [0.5, 1, 1.2] : [10.0 / 12, 1, 2]))
        let reached = { (target: Figure.Target) in
            pairs.isReached(Figure(name: "n", unit: .perSecond, relation: relation, target: target))
        }
        #expect(reached(.atLeast(1)) == true)
        #expect(reached(.atLeast(1.01)) == false)
        #expect(reached(.atMost(1)) == true)
        #expect(reached(.atMost(0.99)) == false)
        #expect(reached(.ownAtMost(10)) == true)
        #expect(reached(.ownAtMost(9)) == false)
        #expect(reached(.none) == nil)
        #expect(Pairs.median([4, 1, 3, 2]) == 2.5)
    }

    @Test("prints a line of Markdown for each figure")
    func lines() {
        let figure = Figure(name: "p99", unit: .milliseconds, target: .atMost(1))
        let row = Comparison(name: "r", work: "work", peer: .redis, figures: [figure]) { _ in
            throw ComparisonFailure("not run")
        }
        var pairs = Pairs()
        pairs.add(hearth: 3, peer: 2)
        pairs.add(hearth: 30, peer: 15)
        #expect(
            ComparisonTable.line(row, figure, pairs)
                == "| work | p99 | 16.5 ms | Redis 8.50 ms | 1.75 (1.50–2.00) | ≤ 1.0 | no |\n")
        #expect(ComparisonTable.line(row, skipped: "why") == "| work | skipped: why | | | | | |\n")
    }
}
