// The tree: one write, one read, one walk among n siblings.
import HearthCore
import HearthTesting

extension Benchmark {
    static let nodes = [
        Benchmark("nodes/insert-append") { input in
            let chat = input.chats.chat(input.size)
            var writer = chat.writer
            return inserting((0..<input.operationCount).map { _ in writer.next() }, into: chat.messages)
        },
        Benchmark("nodes/insert-random") { input in
            // Every message but these stands there already; they come back in random order.
            let chat = input.chats.chat(input.size)
            let taken = randomEntries(input)
            return inserting(taken, into: taken.reduce(chat.messages) { $0.setting(.empty, at: [$1.key]) })
        },
        Benchmark("nodes/replace") { input in
            let entries = randomEntries(input).map { ($0.key, Node(.string("changed"))) }
            return inserting(entries, into: input.chats.chat(input.size).messages)
        },
        Benchmark("nodes/delete") { input in
            inserting(
                randomEntries(input).map { ($0.key, .empty) }, into: input.chats.chat(input.size).messages)
        },
        Benchmark("nodes/lookup") { input in
            let messages = input.chats.chat(input.size).messages
            let keys = randomEntries(input).map(\.key)
            return Work(operations: keys.count) {
                var checksum = Checksum()
                for key in keys { checksum.add(messages.child(key).weight) }
                return checksum.value
            }
        },
        Benchmark("nodes/iterate") { input in
            let messages = input.chats.chat(input.size).messages
            return Work(operations: input.size) {
                var checksum = Checksum()
                for child in messages.children() { checksum.add(child.node.weight) }
                return checksum.value
            }
        },
        Benchmark("nodes/digest-after-write", prepare: digesting),
    ]

    /// Existing children in random order, as many as a round has operations but no more than there are.
    private static func randomEntries(_ input: Input) -> [(key: Key, node: Node)] {
        let chat = input.chats.chat(input.size)
        var random = input.random
        let count = min(input.operationCount, input.size)
        var places: Set<Int> = []
        while places.count < count { places.insert(Int.random(in: 0..<input.size, using: &random)) }
        return places.sorted().shuffled(using: &random).map { place in
            (chat.keys[place], chat.messages.child(chat.keys[place]))
        }
    }

    /// Each write makes a new tree, as a commit does; the one before it goes.
    private static func inserting(_ entries: [(key: Key, node: Node)], into start: Node) -> Work {
        let writes = entries.map { (path: Path([$0.key]), node: $0.node) }
        return Work(operations: writes.count) {
            var tree = start
            for write in writes { tree = tree.setting(write.node, at: write.path) }
            var checksum = Checksum()
            checksum.add(tree.childCount)
            checksum.add(tree.weight)
            return checksum.value
        }
    }

    /// The ETag of the list after one of its messages has changed.
    @Sendable private static func digesting(_ input: Input) -> Work {
        let messages = input.chats.chat(input.size).messages
        let places = randomEntries(input).map { Path([$0.key, Chat.message]) }
        var known = Checksum()
        known.add(Array(messages.etag.utf8))
        return Work(operations: places.count) {
            var checksum = known
            for place in places {
                checksum.add(Array(messages.setting(Node(.string("changed")), at: place).etag.utf8))
            }
            return checksum.value
        }
    }
}

extension Node {
    fileprivate func setting(_ node: Node, at keys: [Key]) -> Node {
        setting(node, at: Path(keys))
    }
}
