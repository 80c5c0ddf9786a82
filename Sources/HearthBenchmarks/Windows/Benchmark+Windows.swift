// Windows: 50 children out of n, in every order, at the end of the list and anywhere in it.
import HearthCore
import HearthSync
import HearthTesting

extension Benchmark {
    static let windowCount = 50
    private static let windowSizes = [1_000, 10_000, 100_000, 1_000_000]

    static let windows: [Benchmark] = Ordering.allCases.flatMap { ordering in
        [
            Benchmark("windows/last-50-by-\(ordering)", sizes: windowSizes, growthLimit: 2) { input in
                let query = Query(order: ordering.order, limit: .last(windowCount))
                return try windowing(ordering, input, [query])
            },
            Benchmark("windows/any-50-by-\(ordering)", sizes: windowSizes, growthLimit: 2) { input in
                try windowing(ordering, input, try anywhere(ordering, input))
            },
        ]
    }

    /// The orders, each with a state in which windows of it are served from an index.
    private enum Ordering: String, CaseIterable, CustomStringConvertible {
        case key, child, value, priority

        var description: String { rawValue }

        var order: Query.Order {
            switch self {
            case .key: .key
            case .child: .child(Path([Chat.username]))
            case .value: .value
            case .priority: .priority
            }
        }

        func state(_ input: Input) throws -> State {
            switch self {
            case .key, .child: try input.chats.indexed(input.size)
            case .value: try input.chats.scores(input.size)
            case .priority: input.chats.ranked(input.size)
            }
        }
    }

    /// One window per query: its positions are found and its children fetched.
    private static func windowing(_ ordering: Ordering, _ input: Input, _ queries: [Query]) throws -> Work {
        let state = try ordering.state(input)
        let views = queries.map { View(path: Chat.messagesPath, query: $0) }
        let repeatCount = max(1, input.operationCount / 10 / views.count)
        return Work(operations: views.count * repeatCount) {
            var checksum = Checksum()
            for _ in 0..<repeatCount {
                for view in views {
                    let window = try Window(of: view, in: state)
                    let positions = window.positions
                    checksum.add(positions.count)
                    if let first = positions.first { checksum.add(first.key.utf8Bytes) }
                    for child in window.children { checksum.add(child.node.weight) }
                }
            }
            return checksum.value
        }
    }

    /// Queries that begin at children drawn from all.
    private static func anywhere(_ ordering: Ordering, _ input: Input) throws -> [Query] {
        let messages = try ordering.state(input).root.descendant(at: Chat.messagesPath)
        let keys = input.chats.chat(input.size).keys
        var random = input.random
        return (0..<max(1, input.operationCount / 10)).map { _ in
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let value = ordering.order.value(of: messages.child(key))
            let bound = Query.Bound(value: value, key: .before(key))
            return Query(order: ordering.order, lower: bound, limit: .first(windowCount))
        }
    }
}
