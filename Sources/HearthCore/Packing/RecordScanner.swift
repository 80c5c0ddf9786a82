// The short way into a packed record: what clients send is turned into canonical text without tokens.
import HearthJSON

/// Turns small objects as clients write them into canonical text, in one pass.
///
/// It takes only what it understands fully: objects of at most `PackedText.recordLimit` bytes with strings,
/// numbers, booleans and objects of the same kind, no key twice. Anything else, and anything wrong, it leaves
/// to `JSONReader` and `DraftAssembly`, which come to the same where both can do it.
struct RecordScanner: Sendable {
    /// A member of an open object, in the text that is written.
    struct Member {
        var start = 0
        var keyEnd = 0
        var end = 0
        /// The first eight bytes of the key in their order; 0 if it may be an integer or has escapes.
        var word: UInt64 = 0
    }

    /// What is used again from one object to the next.
    private struct Memory {
        /// The text, and behind it as much room for sorting members.
        var output: [UInt8] = []
        /// The members of all objects that are open.
        var members: ContiguousArray<Member> = []
        /// The keys that were met last, see `RecordScan.shape`.
        var shape: ContiguousArray<UInt64> = []
    }

    /// How much may be written before the limit is looked at again.
    private static let stride = 128
    /// No more members are open at once in a text of `PackedText.recordLimit` bytes.
    static let memberLimit = PackedText.recordLimit / 4

    private var memory = Memory()
    private var count = 0

    /// Gets the memory, when first there is something to read.
    private mutating func makeRoom() {
        guard memory.output.isEmpty else { return }
        memory.output = [UInt8](repeating: 0, count: 2 * (PackedText.recordLimit + Self.stride))
        memory.members = ContiguousArray(repeating: Member(), count: Self.memberLimit)
        memory.shape = ContiguousArray(repeating: 0, count: 2 * RecordScan.shapeCount)
    }

    /// Reads the object that begins at `start`, of at most so many levels; nil if it is left to others.
    mutating func scan(
        at start: Int, in buffer: UnsafeRawBufferPointer, levels: Int, limits: JSONLimits
    ) -> JSONStretch? {
        makeRoom()
        // Moved out, so that they can be lent side by side.
        var (output, members, shape) = (memory.output, memory.members, memory.shape)
        memory = Memory()
        defer { memory = Memory(output: output, members: members, shape: shape) }
        let half = PackedText.recordLimit + Self.stride
        return output.withUnsafeMutableBytes { output in
            members.withUnsafeMutableBufferPointer { members in
                shape.withUnsafeMutableBufferPointer { shape in
                    guard let output = output.baseAddress, let members = members.baseAddress,
                        let shape = shape.baseAddress
                    else { preconditionFailure("there is room") }
                    var scan = RecordScan(
                        buffer, at: start, limits: limits,
                        into: RecordScan.Room(
                            output: output, spare: output + half, members: members, shape: shape))
                    defer { count = scan.count }
                    return scan.readObject(levels: levels) ? scan.stretch : nil
                }
            }
        }
    }

    /// The node of a body that is one such object and nothing else but white space; nil if it is left to
    /// others.
    mutating func node(of body: UnsafeRawBufferPointer, levels: Int, limits: JSONLimits) -> Node? {
        let levels = min(levels, limits.depth)
        guard body.count <= min(limits.totalBytes, 4 * PackedText.recordLimit),
            let start = body.firstIndex(where: { !RecordScanner.isWhiteSpace($0) }),
            body[start] == UInt8(ascii: "{"),
            let stretch = scan(at: start, in: body, levels: levels, limits: limits),
            body[stretch.end...].allSatisfy(RecordScanner.isWhiteSpace)
        else { return nil }
        return withText { Node(storage: .packed(PackedRecord([UInt8]($0)))) }
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The canonical text of the object that was read last.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        memory.output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
