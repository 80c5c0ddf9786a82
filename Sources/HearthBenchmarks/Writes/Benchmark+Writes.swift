// Pushes as the engine does them, with and without indexes, and commits undone and done again.
import HearthCore
import HearthTesting

extension Benchmark {
    private static let pushSizes = [1_000, 10_000, 100_000, 1_000_000]

    static let writes = [
        against("writes/commit", nil, committing) { $0.chats.plain($0.size) },
        against("writes/commit-with-index", "without", committing) { try $0.chats.indexed($0.size) },
        against("writes/push", nil, pushing) { $0.chats.plain($0.size) },
        against("writes/push-with-index", "without", limit: 1.5, pushing) { try $0.chats.indexed($0.size) },
        against("writes/push-with-2-indexes", "without", pushing) { try $0.chats.indexedTwice($0.size) },
        Benchmark("writes/undo-and-redo", sizes: [100, 1_000, 10_000, 100_000], prepare: undoing),
    ]

    /// Work on a state, held against the same work on one without indexes if `rival` has a name.
    private static func against(
        _ name: String, _ rival: String?, limit: Double? = nil,
        _ work: @escaping @Sendable (State, Input) throws -> Work,
        on state: @escaping @Sendable (Input) throws -> State
    ) -> Benchmark {
        let plain = rival.map {
            Rival(name: $0, limit: limit) { try work($0.chats.plain($0.size), $0) }
        }
        return Benchmark(name, sizes: pushSizes, against: plain) { try work(try state($0), $0) }
    }

    private static func messages(_ input: Input) -> [Node] {
        var writer = input.chats.chat(input.size).writer
        return (0..<input.operationCount / 10).map { _ in writer.next().node }
    }

    /// What a push does under the lock: its key, its checks, the new state, its record, its history.
    @Sendable private static func committing(onto state: State, _ input: Input) -> Work {
        let messages = messages(input)
        return Work(operations: messages.count) {
            var pushes = Pushes(onto: state, random: input.random)
            for message in messages { _ = try pushes.commit(Draft(message), at: Chat.messagesPath) }
            return pushes.checksum.value
        }
    }

    /// All that a push costs beside system calls: its request is read, it is committed, its answer written.
    @Sendable private static func pushing(onto state: State, _ input: Input) -> Work {
        let requests = messages(input).map(PushRequest.bytes)
        return Work(operations: requests.count) {
            var pushes = Pushes(onto: state, random: input.random)
            for request in requests { try pushes.answer(request) }
            return pushes.checksum.value
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
