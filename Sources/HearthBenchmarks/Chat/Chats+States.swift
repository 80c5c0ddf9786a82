// States with indexes, for windows and for pushes.
import HearthCore
import HearthTesting

extension Chats {
    /// The chat without rules.
    func plain(_ count: Int) -> State {
        state("plain", count) { State(root: $0.root, revision: 1, time: $0.writer.time) }
    }

    /// The chat with its messages indexed by user.
    func indexed(_ count: Int) throws -> State {
        try state("indexed", count) { try indexing($0.root, by: #""username""#, at: $0.writer.time) }
    }

    /// The chat with its messages indexed by user and by time.
    func indexedTwice(_ count: Int) throws -> State {
        try state("indexed twice", count) {
            try indexing($0.root, by: #"["username", "timestamp"]"#, at: $0.writer.time)
        }
    }

    /// A number under each push ID, indexed by value.
    func scores(_ count: Int) throws -> State {
        try state("scores", count) { chat in
            var random = SeededRandom(seed: 3)
            var builder = Node.Builder()
            for key in chat.keys {
                builder.insert(Node(.integer(Int64.random(in: 0..<1_000_000, using: &random))), for: key)
            }
            let root = Node.empty.setting(builder.finish(), at: Chat.messagesPath)
            return try indexing(root, by: #"".value""#, at: chat.writer.time)
        }
    }

    /// The messages with a priority each, kept in that order.
    func ranked(_ count: Int) -> State {
        state("ranked", count) { chat in
            var random = SeededRandom(seed: 5)
            var builder = Node.Builder()
            for entry in chat.messages.children() {
                let priority = Priority.number(Double(Int.random(in: 0..<1_000_000, using: &random)))
                builder.insert(entry.node.settingPriority(priority), for: entry.key)
            }
            let root = Node.empty.setting(builder.finish(), at: Chat.messagesPath)
            let state = State(root: root, revision: 1, time: chat.writer.time)
            return state.demandingIndex(at: Chat.messagesPath, order: .priority).buildingIndexes()
        }
    }

    private func indexing(_ root: Node, by index: String, at time: Int64) throws -> State {
        let text = #"{"rules": {"rooms": {"$room": {"messages": {".indexOn": \#(index)}}}}}"#
        let rules = try StoredRules(checking: Array(text.utf8))
        return State(root: root, revision: 1, time: time, rules: rules).buildingIndexes()
    }
}
