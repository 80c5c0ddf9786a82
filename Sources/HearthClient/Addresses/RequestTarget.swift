// The part of a request line that names what is asked for.

/// Path and query of a request, percent-encoded where they are put together.
public struct RequestTarget: Equatable, Sendable {
    /// Begins with a slash, already encoded.
    public let path: String
    /// Parameters in order, not yet encoded.
    public var query: [(name: String, value: String)]

    /// Wraps a path that needs no encoding, such as `/.settings/import.json`.
    public init(path: String, query: [(name: String, value: String)] = []) {
        self.path = path
        self.query = query
    }

    /// The REST endpoint of a place in the tree: `/rooms/lobby` becomes `/rooms/lobby.json`.
    ///
    /// Leading, trailing and doubled slashes do not count. What cannot be a key is left for the server to
    /// refuse.
    public init(ofData path: String, query: [(name: String, value: String)] = []) {
        let keys = path.split(separator: "/").map {
            RequestTarget.encoded(String($0), keeping: segmentExtras)
        }
        self.path = "/" + keys.joined(separator: "/") + ".json"
        self.query = query
    }

    /// As it stands in the request line.
    public var text: String {
        guard !query.isEmpty else { return path }
        let pairs = query.map { pair in
            pair.name + "=" + RequestTarget.encoded(pair.value, keeping: queryExtras)
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    /// Two targets are equal when the request line is.
    public static func == (left: RequestTarget, right: RequestTarget) -> Bool { left.text == right.text }

    private static func encoded(_ text: String, keeping extras: StaticString) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isPlain(byte) || extras.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// A dot is kept in a path, where `.priority` and `.json` need it.
private let segmentExtras: StaticString = ".:@!,*'()"
private let queryExtras: StaticString = "./:,$"

extension StaticString {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount).contains(byte)
    }
}
