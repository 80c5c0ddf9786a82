// Records as bytes: every kind comes back, short where it can be, and nothing else is taken for one.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A journal record")
struct JournalRecordTests {
    private func decoded(_ bytes: [UInt8]) throws(DecodingFault) -> JournalRecord {
        var reader = ByteReader(bytes, EncodedRecord.frameByteCount..<bytes.count)
        return try reader.record()
    }

    private func commit(_ base: Path, _ edits: [Edit], undo: [Edit]?) -> JournalRecord {
        let commit = Commit(
            revision: 7, time: 1_700_000_000_000, kind: .set, base: base, edits: edits, undo: undo)
        return JournalRecord(namespace: "default", .commit(commit, session: nil))
    }

    @Test("comes back the same, whatever it says")
    func roundTrip() throws {
        var random = SeededRandom(for: "records")
        let story = Story(400, using: &random)
        for record in story.records {
            let bytes = EncodedRecord(record).bytes
            let again = try decoded(bytes)
            #expect(EncodedRecord(again).bytes == bytes)
            #expect(again.namespace == record.namespace && again.revision == record.revision)
            if case .commit(let commit, let session) = record.content {
                guard case .commit(let found, let foundSession) = again.content else {
                    Issue.record("a commit came back as something else")
                    continue
                }
                #expect(found.edits == commit.edits && found.undo == commit.undo && found.base == commit.base)
                #expect(found.kind == commit.kind && found.time == commit.time && found.rules == commit.rules)
                #expect(foundSession == session)
            }
        }
    }

    @Test("that names a bulk file comes back with all that is needed to find it")
    func bulk() throws {
        let file = BulkReference(number: 9, byteCount: 1 << 40, checksum: 0xDEAD_BEEF)
        let commit = BulkCommit(
            revision: 3, time: 5, path: .known("/rooms"), mode: .merge, file: file,
            undo: [.put(.known("/rooms"), .empty)])
        let record = JournalRecord(namespace: "default", .bulk(commit))
        guard case .bulk(let found) = try decoded(EncodedRecord(record).bytes).content else {
            Issue.record("it came back as something else")
            return
        }
        #expect(found.file == file && found.mode == .merge && found.path == commit.path)
        #expect(found.undo == commit.undo && found.revision == 3 && found.time == 5)
        #expect(file.name == "bulk-000009")
    }

    @Test("of a bulk file writes the same edits live and at replay")
    func bulkEdits() throws {
        var builder = Node.Builder()
        builder.insert(Node(.integer(1)), for: .known("a"))
        builder.insert(Node(.integer(2)), for: .known("b"))
        let node = builder.finish()
        let file = BulkReference(number: 1, byteCount: 1, checksum: 1)
        let lobby = Path.known("/rooms/lobby")
        for (mode, edits, kind) in [
            (BulkCommit.Mode.replace, [Edit.put(lobby, node)], Commit.Kind.set),
            (
                .merge,
                [
                    .put(.known("/rooms/lobby/a"), Node(.integer(1))),
                    .put(.known("/rooms/lobby/b"), Node(.integer(2))),
                ], .update
            ),
        ] {
            let bulk = BulkCommit(revision: 1, time: 1, path: lobby, mode: mode, file: file, undo: nil)
            let commit = bulk.commit(writing: node)
            #expect(commit.edits == edits && commit.kind == kind && commit.base == lobby)
        }
    }

    @Test("names the place of a write once")
    func shortPaths() throws {
        let place = Path.known("/rooms/lobby/messages/-NbAbCdEfGhIjKlMnOpQ")
        let record = commit(place, [.put(place, Node(.bool(true)))], undo: [.put(place, .empty)])
        let deeper = commit(
            place, [.put(place.appending(Key.known("text")), Node(.bool(true)))],
            undo: [.put(place.prefix(1), .empty)])
        #expect(EncodedRecord(record).byteCount < 100)
        #expect(EncodedRecord(deeper).byteCount == EncodedRecord(record).byteCount + 5)
        for record in [record, deeper] {
            #expect(
                EncodedRecord(try decoded(EncodedRecord(record).bytes)).bytes == EncodedRecord(record).bytes)
        }
    }

    @Test("keeps undo up to its limit and not beyond")
    func undoLimit() throws {
        for (size, isKept) in [(65_000, true), (65_600, false), (500_000, false)] {
            let undo = [Edit.put(.known("/rooms"), Node(.string(String(repeating: "x", count: size))))]
            let record = commit(.known("/rooms"), [.put(.known("/rooms"), .empty)], undo: undo)
            guard case .commit(let found, _) = try decoded(EncodedRecord(record).bytes).content else {
                continue
            }
            #expect((found.undo != nil) == isKept)
            #expect(found.edits == [.put(.known("/rooms"), .empty)])
        }
    }

    @Test("has no second form: changed bytes are a fault or another record that is written just so")
    func changedBytes() {
        var random = SeededRandom(for: "changed records")
        let story = Story(60, using: &random)
        var faults = 0
        for _ in 0..<6_000 {
            let record = story.records[Int.random(in: 0..<60, using: &random)]
            var bytes = EncodedRecord(record).bytes
            let offset = Int.random(in: EncodedRecord.frameByteCount..<bytes.count, using: &random)
            bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            guard
                case .success(let found) = Result(catching: { () throws(DecodingFault) in try decoded(bytes) }
                )
            else {
                faults += 1
                continue
            }
            // Only the division of a path into shared and own keys may be written in more than one way.
            let again = EncodedRecord(found).bytes
            #expect(again.count <= bytes.count)
        }
        #expect(faults > 1_000)
    }

    @Test("that ends early is a fault at every byte")
    func endsEarly() {
        var random = SeededRandom(for: "records cut")
        for record in Story(30, using: &random).records {
            let bytes = EncodedRecord(record).bytes
            for end in EncodedRecord.frameByteCount..<bytes.count {
                #expect(throws: DecodingFault.self) { try decoded(Array(bytes[..<end])) }
            }
            #expect(throws: DecodingFault.self) { try decoded(bytes + [0]) }
        }
    }
}

@Suite("Numbers in stored bytes")
struct StoredNumberTests {
    @Test("come back, small ones short", arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64.max] as [UInt64])
    func varint(value: UInt64) throws {
        var bytes: [UInt8] = []
        bytes.appendVarint(value)
        var reader = ByteReader(bytes)
        #expect(try reader.varint() == value)
        #expect(bytes.count == max(1, (64 - value.leadingZeroBitCount + 6) / 7))
    }

    @Test("come back with their sign", arguments: [0, -1, 1, -64, 64, Int64.min, Int64.max] as [Int64])
    func signed(value: Int64) throws {
        var bytes: [UInt8] = []
        bytes.appendSignedVarint(value)
        var reader = ByteReader(bytes)
        #expect(try reader.signedVarint() == value)
        #expect(bytes.count == 1 || value.magnitude >= 64)
    }

    @Test(
        "have one form alone", arguments: [[0x80, 0x00], [0xFF, 0x00], [UInt8](repeating: 0xFF, count: 10)])
    func longForms(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: DecodingFault.self) { try reader.varint() }
    }
}
