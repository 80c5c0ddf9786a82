// Security rules: what the example rules cost for what chats do all day, among n messages.
import HearthCore
import HearthRules
import HearthTesting

extension Benchmark {
    /// Per rule that is evaluated, walking there and noting nothing included; a last one per whole verdict.
    static let rules =
        RuleScene.all.map { scene in
            Benchmark("rules/\(scene.name)", sizes: [100, 100_000]) { input in
                try scene.work(input, countsRules: true)
            }
        } + [
            Benchmark("rules/whole-push-verdict", sizes: [100, 100_000]) { input in
                try RuleScene.fire3chat.work(input, countsRules: false)
            }
        ]
}

/// A request that an example's rules allow.
private struct RuleScene: Sendable {
    let name: String
    /// The folder under `rules`.
    let example: String
    /// What the database holds, without the messages.
    let data: String
    /// Where the n messages lie.
    let messages: String
    /// What is written, from the root; nil for a query of the last 100 messages.
    let update: String?

    private static let now: Int64 = 1_750_000_000_000
    private static let id = "zzzzzzzzzzzzzzzzzzzz"
    private static let message = #"{"from": "ann", "text": "Good morning!", "time": 1750000000000}"#

    static let fire3chat = RuleScene(
        name: "fire3chat-push", example: "fire3chat", data: "{}", messages: "/messages",
        update: """
            {"messages/\(id)": {"username": "ann", "message": "Good morning!", "time": "2024/03/09, 9:04:58"}}
            """)

    static let all = [
        fire3chat,
        RuleScene(
            name: "private-chat-read", example: "private-chat", data: "{}",
            messages: "/conversations/ann/bob/messages", update: nil),
        RuleScene(
            name: "private-chat-push", example: "private-chat", data: "{}",
            messages: "/conversations/ann/bob/messages",
            update: "{\"conversations/ann/bob/messages/\(id)\": \(message)}"),
        RuleScene(
            name: "members-only-push", example: "members-only-room",
            data:
                #"{"rooms": {"lobby": {"owner": "ola", "members": {"ola": "moderator", "ann": "writer"}}}}"#,
            messages: "/rooms/lobby/messages", update: "{\"rooms/lobby/messages/\(id)\": \(message)}"),
        RuleScene(
            name: "rate-limited-push", example: "rate-limited-posts",
            data: #"{"lastPosts": {"ann": {"room": "lobby", "message": "m", "time": 1}}}"#,
            messages: "/rooms/lobby/messages",
            update: """
                {"rooms/lobby/messages/\(id)": \(message),
                 "lastPosts/ann": {"room": "lobby", "message": "\(id)", "time": 1750000000000}}
                """),
    ]

    /// A request that was to be allowed and is not: then something else is measured than what is meant.
    private struct Refused: Error {
        let scene: String
    }

    /// Judges the request again and again.
    func work(_ input: Input, countsRules: Bool) throws -> Work {
        let rules = try RuleSet(reading: try ExampleRules.text(example))
        let place = try Path(messages)
        let root = try DraftReader.draft(Array(data.utf8)).node
            .setting(input.chats.chat(input.size).messages, at: place)
        var context = JudgingContext(
            auth: Auth(uid: "ann", provider: "password", token: [:]), now: Self.now, root: root)
        let query = Query(order: .key, limit: .last(100))
        let edits = try update.map { try UpdateReader.changes(Array($0.utf8), at: .root) }?.map {
            Edit.put($0.path, $0.draft.resolved(old: .empty, now: Self.now))
        }
        let after = root.applying(edits ?? [])
        func verdict(_ context: JudgingContext) -> Verdict {
            edits.map { rules.judgeWrite($0, leadingTo: after, in: context) }
                ?? rules.judgeRead(at: place, query: query, in: context)
        }
        context.records = .evaluations
        let first = verdict(context)
        guard first.isAllowed else { throw Refused(scene: name) }
        context.records = []
        let plain = context
        let count = input.operationCount
        return Work(operations: countsRules ? count * first.evaluations.count : count) {
            var checksum = Checksum()
            checksum.add(first.evaluations.count)
            for _ in 0..<count { checksum.add(verdict(plain).isAllowed ? 1 : 0) }
            return checksum.value
        }
    }
}
