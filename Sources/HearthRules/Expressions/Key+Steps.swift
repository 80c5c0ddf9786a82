// From the text of a path in a rule to keys, many times for each request.
import HearthCore

extension Key {
    /// The steps of a path; slashes at its ends and doubled ones do not count. Nil if no data can have it:
    /// such a place just does not exist (security-rules.md §5).
    ///
    /// - Complexity: O(length).
    static func steps(of text: String) -> [Key]? {
        var text = text
        return text.withUTF8 { steps(of: UnsafeRawBufferPointer($0)) }
    }

    private static func steps(of bytes: UnsafeRawBufferPointer) -> [Key]? {
        var steps: [Key] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
            defer { start = end + 1 }
            guard end > start else { continue }
            do throws(KeyError) {
                steps.append(try Key(utf8: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            } catch {
                return nil
            }
        }
        return steps
    }
}
