// What a client wants of a file, and what it has of it already.

/// A GET or HEAD of a file with its conditions, kept for a worker that finds the file.
public struct FileRequest: Sendable {
    /// Whether the body is left out of the answer.
    public let isHead: Bool
    /// The version of the request.
    public let version: HTTPVersion
    /// Whether the connection may go on. Set it to false when the server stops.
    public var keepsAlive: Bool
    private let range: String?
    private let ifRange: String?
    private let ifNoneMatch: String?
    private let ifModifiedSince: String?

    /// Reads the conditions of a request; repeated ones do not count.
    public init(_ head: borrowing HTTPRequestHead) {
        isHead = head.method == .head
        version = head.version
        keepsAlive = head.keepsAlive
        range = FileRequest.text(.range, head)
        ifRange = FileRequest.text(.ifRange, head)
        ifNoneMatch = FileRequest.text(.ifNoneMatch, head)
        ifModifiedSince = FileRequest.text(.ifModifiedSince, head)
    }

    private static func text(_ name: HTTPHeaderName, _ head: borrowing HTTPRequestHead) -> String? {
        guard head.fields.count(of: name) == 1 else { return nil }
        return head.fields.value(of: name).map { head.fields.text($0) }
    }

    /// Whether the client has the very file that has this tag and this date.
    ///
    /// A date counts only without a tag, and only if it is to the letter the one that was sent with the file:
    /// a file that was put back in time has changed, too.
    func has(tag: String, date: String) -> Bool {
        guard let ifNoneMatch else { return ifModifiedSince == date }
        return ifNoneMatch.split(separator: ",").contains { element in
            let candidate = element.trimmingBlanks
            return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
    }

    /// The part that is asked for of the file that has this tag, this date and this size.
    func range(tag: String, date: String, size: Int) -> ByteRange {
        if let ifRange, ifRange != tag, ifRange != date { return .whole }
        return ByteRange(range, size: size)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
