// From the text of a path in a rule to keys, many times for each request.
import HearthCore

/// The way from a snapshot to one below it. Slashes at its ends and doubled ones do not count.
enum Way: Sendable {
    /// No data can have it: such a place just does not exist (security-rules.md §5).
    case nowhere
    /// By far the commonest.
    case one(Key)
    /// Also none.
    case many([Key])

    /// - Complexity: O(length).
    init(_ text: String) {
        var text = text
        self = text.withUTF8 { Way($0) }
    }

    /// The way that a text in UTF-8 names.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        let bytes = UnsafeRawBufferPointer(text)
        do throws(KeyError) {
            if bytes.isEmpty || bytes.contains(UInt8(ascii: "/")) {
                let keys = try Way.steps(of: bytes)
                self = keys.count == 1 ? .one(keys[0]) : .many(keys)
            } else {
                self = .one(try Key(utf8: bytes))
            }
        } catch {
            self = .nowhere
        }
    }

    private static func steps(of bytes: UnsafeRawBufferPointer) throws(KeyError) -> [Key] {
        var steps: [Key] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
            if end > start {
                steps.append(try Key(utf8: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            }
            start = end + 1
        }
        return steps
    }
}
