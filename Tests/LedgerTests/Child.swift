// The values that are written: each can be told whole from its token alone.

/// A child as it is sent and as it must be found.
struct Child: Codable, Equatable, Sendable {
    /// Who sent it, and the how manieth of his it is: `w2-17`.
    let token: String
    let text: String

    init(writer: Int, number: Int, length: Int) {
        token = "w\(writer)-\(number)"
        text = Child.text(token, length)
    }

    var writer: Int? { parts.map { $0.writer } }
    var number: Int? { parts.map { $0.number } }

    /// Whether the text is the token's, from end to end.
    var isWhole: Bool { text == Child.text(token, text.utf8.count) && text.hasSuffix("!") }

    var json: [UInt8] { Array(#"{"text":"\#(text)","token":"\#(token)"}"#.utf8) }

    private var parts: (writer: Int, number: Int)? {
        let parts = token.dropFirst().split(separator: "-").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// The token again and again, with a mark at the end.
    private static func text(_ token: String, _ length: Int) -> String {
        let count = max(length, 1) / (token.utf8.count + 1) + 1
        let repeated = Array(repeating: token, count: count).joined(separator: " ")
        return String(repeated.prefix(max(length, 1) - 1)) + "!"
    }
}
