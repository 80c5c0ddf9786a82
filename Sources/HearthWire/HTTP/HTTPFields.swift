// The headers of a message as byte offsets, with lookups that make no text.

/// A head's bytes with the places of its header lines.
///
/// No dictionary is built: a lookup walks over the lines and compares only names of the right length.
public struct HTTPFields: Sendable {
    /// The head from its first line to the empty line, line ends included.
    public internal(set) var bytes: [UInt8] = []
    private(set) var lines: [HTTPField] = []
    /// One bit for each length of a name that occurs: most lookups end here.
    private var nameLengths: UInt64 = 0

    init() {}

    mutating func append(_ line: HTTPField) {
        lines.append(line)
        nameLengths |= Self.bit(line.name.count)
    }

    /// Forgets everything but the storage.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        nameLengths = 0
    }

    private static func bit(_ length: Int) -> UInt64 {
        1 << UInt64(truncatingIfNeeded: min(length, 63))
    }

    /// The number of header lines.
    public var count: Int { lines.count }

    /// Returns where the value of the first header of this name is, without blanks around it.
    /// - Complexity: O(number of header lines); only names of the same length are compared.
    public func value(of name: HTTPHeaderName) -> Range<Int>? {
        guard nameLengths & Self.bit(name.text.utf8CodeUnitCount) != 0 else { return nil }
        return bytes.withUnsafeBytes { raw in
            for index in lines.indices where raw.equals(name.text, in: lines[index].name) {
                return lines[index].value
            }
            return nil
        }
    }

    /// Returns where the value of the last header of this name is, without blanks around it.
    /// - Complexity: O(number of header lines).
    public func lastValue(of name: HTTPHeaderName) -> Range<Int>? {
        bytes.withUnsafeBytes { raw in
            lines.last { raw.equals(name.text, in: $0.name) }?.value
        }
    }

    /// How many header lines have this name; more than one is wrong for most names.
    public func count(of name: HTTPHeaderName) -> Int {
        bytes.withUnsafeBytes { raw in
            lines.count { raw.equals(name.text, in: $0.name) }
        }
    }

    /// The bytes of `range` as text; what is not UTF-8 is repaired, so compare bytes where that matters.
    public func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Whether the bytes of `range` are those of `text`, which is in lower case, in any case.
    public func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
        bytes.withUnsafeBytes { $0.equals(text, in: range) }
    }

    /// Whether the bytes of `range` are just these.
    public func holds(_ other: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        return bytes.withUnsafeBytes { raw in
            for index in 0..<range.count where raw[range.lowerBound &+ index] != other[index] { return false }
            return true
        }
    }

    /// Whether the comma-separated value of the first header of this name has `token`, in lower case.
    /// What follows a semicolon in an element is not looked at.
    public func value(of name: HTTPHeaderName, has token: StaticString) -> Bool {
        guard let range = value(of: name) else { return false }
        return bytes.withUnsafeBytes { raw in
            var found = false
            raw.forEachElement(of: range) { element in
                let end = raw[element].firstIndex(of: 0x3b) ?? element.upperBound
                found = found || raw.equals(token, in: raw.trimmingBlanks(element.lowerBound..<end))
            }
            return found
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Calls `body` with each element of a comma-separated list, without blanks around it, empty ones left
    /// out.
    func forEachElement(of list: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = list.lowerBound
        while start < list.upperBound {
            let end = self[start..<list.upperBound].firstIndex(of: 0x2c) ?? list.upperBound
            let element = trimmingBlanks(start..<end)
            if !element.isEmpty { body(element) }
            start = end &+ 1
        }
    }
}
