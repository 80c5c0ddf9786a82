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
        var keys: [Key] = []
        keys.reserveCapacity(8)
        var isPriority = false
        if bytes.contains(where: { $0 >= 0x80 || $0 == 0x25 }) {
            guard let text = PercentDecoding.path.text(of: bytes) else { throw .badEncoding }
            isPriority = try Self.split(Array(text.utf8)[...], into: &keys)
        } else {
            isPriority = try Self.split(bytes, into: &keys)
        }
        self.init(path: Path(keys), isPriority: isPriority)
    }

    /// Appends the keys between slashes; returns whether the last segment was `.priority`.
    private static func split(
        _ bytes: ArraySlice<UInt8>, into keys: inout [Key]
    ) throws(RESTError) -> Bool {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x2f) ?? bytes.endIndex
            let segment = bytes[start..<end]
            start = end + 1
            if segment.isEmpty { continue }
            if segment.first == 0x2e, segment.elementsEqual(".priority".utf8),
                bytes[end...].allSatisfy({ $0 == 0x2f })
            {
                return true
            }
            guard keys.count < Path.depthLimit else { throw .deepPath }
            keys.append(try key(segment))
        }
        return false
    }

    private static func key(_ segment: ArraySlice<UInt8>) throws(RESTError) -> Key {
        do throws(KeyError) {
            return try segment.withUnsafeBytes(keyResult).get()
        } catch {
            if case .tooLong = error { throw .longKey }
            throw .badToken
        }
    }

    private static func keyResult(_ bytes: UnsafeRawBufferPointer) -> Result<Key, KeyError> {
        do throws(KeyError) {
            return .success(try Key(utf8: bytes))
        } catch {
            return .failure(error)
        }
    }
}
