// Views: which of n a commit touches, and what each kind of view is told of a push among n siblings.
import HearthCore
import HearthEngine
import HearthSync
import HearthTesting

extension Benchmark {
    static let views = [
        Benchmark("views/touched", prepare: touching),
        Benchmark("views/push-seen-whole") { input in
            try telling(Query.whole, of: input.chats.plain(input.size), input)
        },
        Benchmark("views/push-seen-last-50") { input in
            let query = Query(order: .key, limit: .last(windowCount))
            return try telling(query, of: input.chats.plain(input.size), input)
        },
        Benchmark("views/push-seen-last-50-child") { input in
            let query = Query(order: .child(Path([Chat.username])), limit: .last(windowCount))
            return try telling(query, of: try input.chats.indexed(input.size), input)
        },
    ]

    /// Each of n rooms has a view; a commit writes into one of them.
    @Sendable private static func touching(_ input: Input) throws -> Work {
        var views = ViewTree()
        let rooms = Path([Key(name: "rooms")])
        for room in 0..<input.size {
            let path = rooms.appending(Key(index: room)).appending(Key(name: "messages"))
            _ = views.subscribe(to: View(path: path, query: Query(order: .key, limit: .last(50))), on: 0)
        }
        var random = input.random
        let edits = (0..<input.operationCount).map { _ in
            let room = rooms.appending(Key(index: Int.random(in: 0..<input.size, using: &random)))
            return [Edit.put(room.appending(Key(name: "messages")).appending(Chat.message), .empty)]
        }
        let tree = views
        return Work(operations: edits.count) {
            var checksum = Checksum()
            for edit in edits { checksum.add(tree.touched(by: edit).first?.id.number ?? -1) }
            return checksum.value
        }
    }

    /// The value change and the child events of pushes, as a stream of that query is told them.
    private static func telling(_ query: Query, of state: State, _ input: Input) throws -> Work {
        let view = View(path: Chat.messagesPath, query: query)
        let proposals = try pushes(onto: state, input)
        return Work(operations: proposals.count) {
            var checksum = Checksum()
            for push in proposals {
                let change = try view.change(by: push.commit, before: push.before, after: push.after)
                checksum.add(change == nil ? 0 : 1)
                let events = try view.events(of: push.commit, before: push.before, after: push.after)
                checksum.add(events.children.count)
                checksum.add(events.children.last?.data.weight ?? 0)
            }
            return checksum.value
        }
    }

    private static func pushes(onto state: State, _ input: Input) throws -> [Proposal] {
        var writer = input.chats.chat(input.size).writer
        var database = Database(epoch: "bench", state: state)
        return try (0..<input.operationCount / 10).map { index in
            let message = writer.next()
            let path = Chat.messagesPath.appending(message.key)
            let proposal = try database.prepare(.set(path, Draft(message.node)), now: writer.time)
            _ = database.commit(proposal, at: Int64(index + 1))
            return proposal
        }
    }
}
