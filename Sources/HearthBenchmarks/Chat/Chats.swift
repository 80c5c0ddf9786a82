// The data that benchmarks run on: chats of every size, made from a fixed seed and kept.
import HearthCore
import HearthTesting

/// Chats by their number of messages, and what is made of them; each is made once.
final class Chats {
    private var chats: [Int: Chat] = [:]
    private var states: [String: State] = [:]

    /// The chat of so many messages.
    func chat(_ count: Int) -> Chat {
        if let chat = chats[count] { return chat }
        let chat = Chat(messageCount: count)
        chats[count] = chat
        return chat
    }

    /// A state that is made once for a name and a size.
    func state(_ name: String, _ count: Int, make: (Chat) throws -> State) rethrows -> State {
        let id = "\(name) \(count)"
        if let state = states[id] { return state }
        let state = try make(chat(count))
        states[id] = state
        return state
    }
}

/// One room's messages, as `/rooms/lobby/messages` has them.
struct Chat {
    /// The path of the messages.
    static let messagesPath = Path([Key(name: "rooms"), Key(name: "lobby"), Key(name: "messages")])
    static let username = Key(name: "username")
    static let message = Key(name: "message")
    static let timestamp = Key(name: "timestamp")
    private static let start: Int64 = 1_700_000_000_000

    /// The push IDs, ascending.
    let keys: [Key]
    /// The messages under their push IDs.
    let messages: Node
    /// Makes further messages, later than all.
    let writer: MessageWriter

    init(messageCount: Int) {
        var writer = MessageWriter(time: Self.start, random: SeededRandom(seed: UInt64(messageCount)))
        var keys: [Key] = []
        keys.reserveCapacity(messageCount)
        var builder = Node.Builder()
        for _ in 0..<messageCount {
            let message = writer.next()
            keys.append(message.key)
            builder.insert(message.node, for: message.key)
        }
        self.keys = keys
        self.writer = writer
        messages = builder.finish()
    }

    /// The whole tree around the messages.
    var root: Node { Node.empty.setting(messages, at: Chat.messagesPath) }
}

/// Makes messages of 8 to 24 words, each some milliseconds after the one before.
struct MessageWriter {
    private static let words = [
        "the", "quick", "brown", "fox", "good", "morning", "is", "anybody", "here", "lunch", "at", "noon",
        "see", "that", "fireplace", "café", "naïve", "🔥", "\"quoted\"", "ok",
    ]

    private(set) var time: Int64
    private var random: SeededRandom
    private var pushIDs = PushIDGenerator()

    init(time: Int64, random: SeededRandom) {
        self.time = time
        self.random = random
    }

    mutating func next() -> (key: Key, node: Node) {
        time += Int64.random(in: 1...4_000, using: &random)
        let key = pushIDs.next(at: time, using: &random)
        let count = Int.random(in: 8...24, using: &random)
        let text = (0..<count).map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
        var builder = Node.Builder()
        builder.insert(Node(.string(text.joined(separator: " "))), for: Chat.message)
        builder.insert(Node(.integer(time)), for: Chat.timestamp)
        let user = Int.random(in: 0..<500, using: &random)
        builder.insert(Node(.string("user\(user)")), for: Chat.username)
        return (key, builder.finish())
    }
}

extension Key {
    /// A name that stands in this program and is known to be valid.
    init(name: StaticString) {
        self.init(checked: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}
