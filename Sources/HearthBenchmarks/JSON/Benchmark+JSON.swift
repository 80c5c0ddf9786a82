// JSON: a chat read from text and written as text.
import HearthCore

extension Benchmark {
    static let json = [
        Benchmark("json/parse") { input in
            let text = NodeSerializer.bytes(of: input.chats.chat(input.size).messages)
            return Work(operations: input.size, bytes: text.count) {
                var checksum = Checksum()
                let draft = try DraftReader.draft(text)
                checksum.add(draft.node.childCount)
                checksum.add(draft.node.weight)
                return checksum.value
            }
        },
        Benchmark("json/serialize") { input in
            let messages = input.chats.chat(input.size).messages
            let byteCount = NodeSerializer.bytes(of: messages).count
            return Work(operations: input.size, bytes: byteCount) {
                var checksum = Checksum()
                var serializer = NodeSerializer(messages)
                var isFinished = false
                var piece: [UInt8] = []
                while !isFinished {
                    piece.removeAll(keepingCapacity: true)
                    isFinished = serializer.write(into: &piece, byteLimit: 65_536)
                    checksum.add(piece)
                }
                return checksum.value
            }
        },
    ]
}
