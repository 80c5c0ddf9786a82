// Keys: comparing them and making push IDs.
import HearthCore
import HearthTesting

extension Benchmark {
    static let addresses = [
        Benchmark("keys/compare-push-ids", sizes: [1_000]) { input in
            comparing(input.chats.chat(input.size).keys, input)
        },
        Benchmark("keys/compare-integers", sizes: [1_000]) { input in
            comparing((0..<input.size).map { Key(index: $0) }, input)
        },
        Benchmark("keys/compare-long", sizes: [1_000]) { input in
            comparing(try (0..<input.size).map { try Key("a-long-name-that-many-keys-share-\($0)") }, input)
        },
        Benchmark("push-ids/same-millisecond", sizes: [1_000]) { input in
            makingPushIDs(input) { _ in 1_700_000_000_000 }
        },
        Benchmark("push-ids/each-its-own", sizes: [1_000]) { input in
            makingPushIDs(input) { 1_700_000_000_000 + Int64($0) }
        },
    ]

    private static func comparing(_ keys: [Key], _ input: Input) -> Work {
        var random = input.random
        let shuffled = keys.shuffled(using: &random)
        return Work(operations: shuffled.count - 1) {
            var checksum = Checksum()
            for index in 1..<shuffled.count { checksum.add(shuffled[index - 1] < shuffled[index] ? 1 : 0) }
            return checksum.value
        }
    }

    private static func makingPushIDs(_ input: Input, at time: @escaping (Int) -> Int64) -> Work {
        Work(operations: input.size) {
            var random = input.random
            var pushIDs = PushIDGenerator()
            var checksum = Checksum()
            for index in 0..<input.size {
                checksum.add(pushIDs.next(at: time(index), using: &random).byteCount)
            }
            return checksum.value
        }
    }
}
