// The place in the tree that a path names.

public import HearthCore

/// What a path that ends in `.json` names: a node, or a node's priority.
public struct RESTLocation: Equatable, Sendable {
    /// The node.
    public let path: Path
    /// Whether the path ended in `.priority`: the node's priority is meant, not its value.
    public let isPriority: Bool

    /// Puts a location together.
    public init(path: Path, isPriority: Bool = false) {
        self.path = path
        self.isPriority = isPriority
    }

    /// Reads the percent-encoded path of a request, without its `.json`.
    ///
    /// It is decoded and then split, so an encoded slash is a slash; empty segments do not count.
    /// - Throws: 400 with the reason.
    /// - Complexity: O(bytes); plain ASCII is not copied.
    init(encoded bytes: ArraySlice<UInt8>) throws(RESTError) {
        self = try bytes.withUnsafeBytes(Self.decode).get()
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) -> Result<RESTLocation, RESTError> {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0x25 }) { return split(bytes) }
        guard var text = PercentDecoding.path.text(of: ArraySlice(bytes)) else {
            return .failure(.badEncoding)
        }
        return text.withUTF8 { split(UnsafeRawBufferPointer($0)) }
    }

    /// Makes keys of what stands between slashes.
    private static func split(_ bytes: UnsafeRawBufferPointer) -> Result<RESTLocation, RESTError> {
        var keys: [Key] = []
        keys.reserveCapacity(8)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x2f { end &+= 1 }
            let segment = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end &+ 1
            if segment.isEmpty { continue }
            if segment[0] == 0x2e, segment.elementsEqual(".priority".utf8),
                bytes[end...].allSatisfy({ $0 == 0x2f })
            {
                return .success(RESTLocation(path: Path(keys), isPriority: true))
            }
            guard keys.count < Path.depthLimit else { return .failure(.deepPath) }
            do throws(KeyError) {
                keys.append(try Key(utf8: segment))
            } catch {
                if case .tooLong = error { return .failure(.longKey) }
                return .failure(.badToken)
            }
        }
        return .success(RESTLocation(path: Path(keys)))
    }
}
