// Finds the reason in the body of an answer that says no.

internal import HearthJSON

extension ServerRefusal {
    /// How much of such a body is looked at.
    static let bodyLimitBytes = 64 << 10

    /// The `error` member of a JSON object, also where it is an object with a `message`; else the text
    /// itself, one line of at most 300 characters without control characters.
    static func reason(inBody body: [UInt8]) -> String {
        let member = body.withUnsafeBytes { errorMember(in: $0) }
        let text = member ?? String(decoding: body.prefix(2_000), as: UTF8.self)
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : String($0) }
        return String(line.joined().prefix(300)).trimmingSpaces
    }

    private static func errorMember(in body: UnsafeRawBufferPointer) -> String? {
        var reader = JSONReader()
        // A body that is no JSON has no such member; its text is shown instead.
        return (try? find(in: body, &reader)) ?? nil
    }

    private static func find(in body: UnsafeRawBufferPointer, _ reader: inout JSONReader) throws(JSONError)
        -> String?
    {
        var isNamed = false
        while true {
            switch try reader.next(in: body, isFinal: true) {
            case .key(let key): isNamed = key.says("error", in: body) || key.says("message", in: body)
            case .string(let text): if isNamed { return text.string(in: body) }
            case .end, .needsMore: return nil
            default: continue
            }
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
