// The journal: records made from commits, and read back from a disk in memory.
import HearthCore
import HearthStorage
import HearthTesting

extension Benchmark {
    static let journal = [
        Benchmark("journal/encode", sizes: [1_000], prepare: encoding),
        Benchmark("journal/decode", sizes: [1_000], prepare: decoding),
    ]

    /// The records of pushes into a chat.
    private static func records(_ input: Input) -> [JournalRecord] {
        var writer = input.chats.chat(input.size).writer
        return (0..<input.operationCount).map { index in
            let message = writer.next()
            let path = Chat.messagesPath.appending(message.key)
            let commit = Commit(
                revision: Revision(index + 1), time: writer.time, kind: .set, base: path,
                edits: [.put(path, message.node)], undo: [.put(path, .empty)])
            return JournalRecord(namespace: "default", .commit(commit, session: nil))
        }
    }

    @Sendable private static func encoding(_ input: Input) -> Work {
        let records = records(input)
        let byteCount = records.reduce(0) { $0 + EncodedRecord($1).byteCount }
        return Work(operations: records.count, bytes: byteCount) {
            var checksum = Checksum()
            for record in records { checksum.add(EncodedRecord(record).byteCount) }
            return checksum.value
        }
    }

    /// Batches are found, their checksums held against them, and their records read.
    @Sendable private static func decoding(_ input: Input) throws -> Work {
        let records = records(input).map { EncodedRecord($0) }
        var opened = try DataDirectory.open(
            SimulatedDisk(), DirectoryOptions(), random: SeededRandom(seed: 1))
        var journal = opened.takeJournal()
        for start in stride(from: 0, to: records.count, by: 20) {
            let batch = Array(records[start..<min(start + 20, records.count)])
            try journal.append(Batch(first: journal.written + 1, records: batch))
        }
        let reader = journal.reader()
        let byteCount = records.reduce(0) { $0 + $1.byteCount }
        return Work(operations: records.count, bytes: byteCount) {
            var checksum = Checksum()
            for placed in try reader.read(from: 1, byteLimit: .max) {
                checksum.add(Int(placed.record.revision ?? 0))
            }
            return checksum.value
        }
    }
}
