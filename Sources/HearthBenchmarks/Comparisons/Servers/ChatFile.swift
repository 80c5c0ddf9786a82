// A large file of messages, for imports.
import Glibc
import HearthCore
import HearthTesting

/// A JSON file with a chat's messages under their push IDs.
struct ChatFile {
    let path: String
    let byteCount: Int
    /// The push IDs, ascending.
    let keys: [Key]

    var megabytes: Double { Double(byteCount) / 1_000_000 }

    /// Writes so many messages, in the order of their keys or in any.
    ///
    /// - Parameter folder: where it is made.
    init(_ count: Int, inOrder: Bool = true, in folder: String) throws {
        let chat = Chat(messageCount: count)
        keys = chat.keys
        var text: [UInt8]
        if inOrder {
            text = NodeSerializer.bytes(of: chat.messages)
        } else {
            var random = SeededRandom(seed: 7)
            text = []
            for key in chat.keys.shuffled(using: &random) {
                text.append(UInt8(ascii: text.isEmpty ? "{" : ","))
                NodeSerializer.append(Node(.string(key.text)), to: &text)
                text.append(UInt8(ascii: ":"))
                NodeSerializer.append(chat.messages.child(key), to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
        path = folder + "/chat.json"
        byteCount = text.count
        try TextFile.write(text, to: path)
    }

    /// Writes the same bytes to another file and waits until the disk has them.
    func copyDurably(to other: String) throws {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw ComparisonFailure.system("cannot read \(path)") }
        defer { close(source) }
        let target = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw ComparisonFailure.system("cannot write \(other)") }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            guard write(target, buffer, count) == count else {
                throw ComparisonFailure.system("cannot write \(other)")
            }
        }
        guard fdatasync(target) == 0 else { throw ComparisonFailure.system("cannot sync \(other)") }
    }
}
