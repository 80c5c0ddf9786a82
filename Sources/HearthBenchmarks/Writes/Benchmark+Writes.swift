// Pushes as the engine does them, with and without indexes, and commits undone and done again.
import HearthCore
import HearthEngine
import HearthStorage
import HearthTesting

extension Benchmark {
    private static let pushSizes = [1_000, 10_000, 100_000, 1_000_000]

    static let writes = [
        Benchmark("writes/push", sizes: pushSizes) { pushing(into: $0.chats.plain($0.size), $0) },
        Benchmark(
            "writes/push-with-index", sizes: pushSizes,
            against: Rival(name: "without", limit: 1.5) { pushing(into: $0.chats.plain($0.size), $0) }
        ) { pushing(into: try $0.chats.indexed($0.size), $0) },
        Benchmark(
            "writes/push-with-2-indexes", sizes: pushSizes,
            against: Rival(name: "without", limit: nil) { pushing(into: $0.chats.plain($0.size), $0) }
        ) { pushing(into: try $0.chats.indexedTwice($0.size), $0) },
        Benchmark("writes/undo-and-redo", sizes: [100, 1_000, 10_000, 100_000], prepare: undoing),
    ]

    /// All that a push does under the lock: its key, its checks, the new state, its record, its history.
    private static func pushing(into state: State, _ input: Input) -> Work {
        var writer = input.chats.chat(input.size).writer
        let count = input.operationCount / 10
        let messages = (0..<count).map { _ in writer.next().node }
        let now = writer.time
        return Work(operations: count) {
            var database = Database(epoch: "bench", state: state)
            var random = input.random
            var checksum = Checksum()
            for (index, message) in messages.enumerated() {
                let key = database.pushID(now: now, using: &random)
                let path = Chat.messagesPath.appending(key)
                let proposal = try database.prepare(.set(path, Draft(message)), now: now)
                let record = EncodedRecord(
                    JournalRecord(namespace: "default", .commit(proposal.commit, session: nil)))
                checksum.add(record.byteCount)
                let publication = database.commit(proposal, at: Int64(index + 1))
                database.durable(upTo: publication.position)
                checksum.add(publication.after.root.weight)
            }
            return checksum.value
        }
    }

    /// From the newest state back over n commits, then forward again; one operation is both for one commit.
    @Sendable private static func undoing(_ input: Input) throws -> Work {
        let chat = input.chats.chat(1_000)
        var writer = chat.writer
        var state = input.chats.plain(1_000)
        var steps: [(redo: [Edit], undo: [Edit])] = []
        for _ in 0..<input.size {
            let message = writer.next()
            let redo = [Edit.put(Chat.messagesPath.appending(message.key), message.node)]
            let next = state.applyingWithUndo(redo)
            steps.append((redo, next.undo))
            state = next.state
        }
        let present = state
        return Work(operations: input.size) {
            var checksum = Checksum()
            var past = present
            for step in steps.reversed() { past = past.applying(step.undo) }
            checksum.add(past.root.weight)
            for step in steps { past = past.applying(step.redo) }
            checksum.add(past.root.weight)
            return checksum.value
        }
    }
}
