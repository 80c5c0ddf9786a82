// Which part of a file a client asks for.

/// The header `Range` against a file's size (RFC 9110 §14).
public enum ByteRange: Equatable, Sendable {
    /// All of it: nothing else was asked for, or in a way that a server may leave aside.
    case whole
    /// These bytes, at least one.
    case part(Range<Int>)
    /// None of what was asked for is there.
    case unsatisfiable

    /// Reads `bytes=0-99`, `bytes=100-` and `bytes=-100`; several ranges and other units mean the whole file.
    ///
    /// - Parameters:
    ///   - text: the header's value; nil where there is none.
    ///   - size: how many bytes the file has.
    public init(_ text: String?, size: Int) {
        self = .whole
        guard let text, text.utf8.count <= 64, text.lowercased().hasPrefix("bytes=") else { return }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let bounds = parts.map { ByteRange.number($0) }
        switch (bounds[0], bounds[1], parts[0].isEmpty, parts[1].isEmpty) {
        case (nil, let count?, true, false):
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
        case (let first?, nil, false, true):
            self = first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?, false, false) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        default: break
        }
    }

    /// A number without a sign; one that is too large for the machine is as good as the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(text) ?? Int.max
    }
}
