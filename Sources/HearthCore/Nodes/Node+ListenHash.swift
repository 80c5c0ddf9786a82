// The realtime protocol's own hash of a value, by which clients say what they have (wire-protocol.md §7).
import HearthCrypto

extension Node {
    /// The hash that clients of the realtime protocol send with a listen and a transaction: 28 characters of
    /// base64, or empty if there is nothing. The node's own priority counts.
    ///
    ///     leaf      SHA-1 of   priority │ type : text
    ///     children  SHA-1 of   priority │ : key : hash │ : key : hash │ …     in the order by priority
    ///
    /// - Complexity: O(size), and nothing is kept of it: off the lock where that is much. Memory is bounded
    ///   by the largest text, and by the children of one place if some have priorities.
    public var listenHash: String {
        isEmpty ? "" : hash(numbers: .exact).text
    }

    /// Whether a client may mean this value by a hash: it is the right one, or the one that the JavaScript
    /// SDK computes for numbers that it gets wrong (wire-protocol.md §7.2).
    ///
    /// - Complexity: O(1) if either is nothing, else O(size), twice if there are such numbers.
    public func matches(listenHash text: String) -> Bool {
        guard !isEmpty, !text.isEmpty else { return isEmpty && text.isEmpty }
        let exact = hash(numbers: .exact)
        if exact.text == text { return true }
        return exact.hasMistakable && hash(numbers: .javaScript).text == text
    }

    private func hash(numbers: ListenHash.Numbers) -> (text: String, hasMistakable: Bool) {
        var computation = ListenHash(numbers: numbers)
        computation.append(self)
        return (String(decoding: computation.bytes, as: UTF8.self), computation.hasMistakable)
    }
}

/// A listen hash on its way: the texts of the places that are open lie one after the other in one buffer.
private struct ListenHash {
    /// How the bits of a number are found.
    enum Numbers {
        case exact
        case javaScript
    }

    /// Texts longer than this are digested piece by piece.
    private static let pieceByteCount = 16_384

    let numbers: Numbers
    private(set) var bytes: [UInt8] = []
    /// Whether a number was met that the JavaScript SDK takes for another one.
    private(set) var hasMistakable = false

    init(numbers: Numbers) {
        self.numbers = numbers
    }

    /// Appends the base64 of a node's hash.
    mutating func append(_ node: Node) {
        let start = bytes.count
        append(node.priority)
        let digest: SHA1.Digest
        if let leaf = node.leaf {
            append(leaf)
            digest = finish(from: start)
        } else {
            digest =
                node.prioritizedChildCount > 0
                ? appendChildren(node.childrenByPriority, from: start)
                : appendChildren(node.children(), from: start)
        }
        digest.withBytes { Base64.standard.encode($0, appendingTo: &bytes) }
    }

    /// Digests the text from `start` on and takes it away.
    private mutating func finish(from start: Int) -> SHA1.Digest {
        let digest = bytes.withUnsafeBytes { SHA1.digest(of: UnsafeRawBufferPointer(rebasing: $0[start...])) }
        bytes.removeSubrange(start...)
        return digest
    }

    private mutating func appendChildren(
        _ children: some Sequence<ChildEntry>, from start: Int
    ) -> SHA1.Digest {
        var pieces: SHA1?
        for child in children {
            bytes.append(UInt8(ascii: ":"))
            child.key.appendUTF8(to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(child.node)
            guard bytes.count - start > Self.pieceByteCount else { continue }
            var running = pieces.take() ?? SHA1()
            take(from: start, into: &running)
            pieces = consume running
        }
        guard var running = pieces.take() else { return finish(from: start) }
        take(from: start, into: &running)
        return running.finish()
    }

    private mutating func take(from start: Int, into digest: inout SHA1) {
        bytes.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        bytes.removeSubrange(start...)
    }

    private mutating func append(_ priority: Priority) {
        switch priority {
        case .none: return
        case .number(let number):
            append("priority:number:")
            // The client reads it from JSON, which has no negative zero.
            appendHex(of: number == 0 ? 0 : number)
        case .string(let text):
            append("priority:string:")
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ leaf: Leaf) {
        switch leaf {
        case .bool(let value): append(value ? "boolean:true" : "boolean:false")
        case .integer(let value):
            append("number:")
            appendHex(of: Double(value))
        case .double(let value):
            append("number:")
            appendHex(of: value)
        case .string(let text):
            append("string:")
            bytes.append(contentsOf: text.utf8)
        }
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func appendHex(of number: Double) {
        let mistaken = JavaScriptDouble.bitPattern(of: number)
        if mistaken != number.bitPattern { hasMistakable = true }
        let bits = numbers == .exact ? number.bitPattern : mistaken
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 15
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

extension Node {
    /// The children in the order by priority, ties by key.
    ///
    /// - Complexity: O(n log n).
    fileprivate var childrenByPriority: [ChildEntry] {
        children().sorted { left, right in
            switch left.node.priority.ordering(to: right.node.priority) {
            case .ascending: true
            case .descending: false
            case .same: left.key < right.key
            }
        }
    }
}
