// What is stored comes back; what was never stored is a fault with a place, and never a trap.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A stored node")
struct NodeCodingTests {
    private func encoded(_ node: Node) -> [UInt8] {
        var output = MemoryOutput()
        output.append(node)
        return output.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws(DecodingFault) -> Node {
        var reader = ByteReader(bytes)
        let node = try reader.node()
        guard try reader.isAtEnd() else { throw reader.fault(.goesOn) }
        return node
    }

    @Test("of format 1, child by child, is still read")
    func formatOne() throws {
        let bytes: [UInt8] = [0x06, 2, 1, 0x61, 3, 10, 1, 0x62, 0x06, 1, 1, 0x63, 2]
        let expected = Node.empty.setting(Node(.integer(5)), at: try Path("a"))
            .setting(Node(.bool(true)), at: try Path("b/c"))
        #expect(try decoded(bytes) == expected)
        #expect(encoded(expected) == [0x07, 22] + Array(#"{"a":5,"b":{"c":true}}"#.utf8))
    }

    @Test("comes back the same")
    func roundTrip() throws {
        var random = SeededRandom(for: "stored nodes")
        for _ in 0..<500 {
            let node = random.node(levels: 4)
            #expect(try decoded(encoded(node)) == node)
        }
        #expect(try decoded(encoded(.empty)).isEmpty)
    }

    @Test("is sound, and comes back the same again, whenever changed bytes can be read")
    func changedBytes() throws {
        var random = SeededRandom(for: "changed bytes of nodes")
        var readable = 0
        for _ in 0..<3_000 {
            var bytes = encoded(random.node(levels: 2))
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(truncatingIfNeeded: random.next())
            guard
                case .success(let node) = Result(catching: { () throws(DecodingFault) in try decoded(bytes) })
            else { continue }
            readable += 1
            #expect(try decoded(encoded(node)) == node)
            #expect(node.invariantViolation() == nil)
        }
        #expect(readable > 100)
    }

    @Test("is a fault when it ends early, at every byte")
    func endsEarly() throws {
        var random = SeededRandom(for: "nodes cut")
        let bytes = encoded(random.node(levels: 3))
        for end in 0..<bytes.count {
            #expect(throws: DecodingFault.self) { try decoded(Array(bytes[..<end])) }
        }
    }

    @Test("never traps on any bytes")
    func randomBytes() {
        var random = SeededRandom(for: "random bytes as nodes")
        var faults = 0
        for _ in 0..<20_000 {
            var bytes = random.bytes(Int.random(in: 0...40, using: &random))
            // Small values are tags and lengths: they get further.
            for index in bytes.indices where random.oneIn(2) { bytes[index] &= 0x27 }
            do { _ = try decoded(bytes) } catch { faults += 1 }
            var reader = ByteReader(bytes)
            do { _ = try reader.record() } catch { faults += 1 }
            var state = ByteReader(bytes)
            do { _ = try state.checkpoint(1) } catch { faults += 1 }
        }
        #expect(faults > 40_000)
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ([0x0F], Malformation.unknownTag(0x0F)),
            ([0x40], .unknownTag(0x40)),
            ([0x10, 0, 0, 0, 0, 0, 0, 0, 0], .unknownTag(0x10)),
            ([0x06, 0], .badChildren),
            ([0x06, 2, 1, 0x62, 1, 1, 0x61, 1], .badChildren),
            ([0x06, 2, 1, 0x61, 1, 1, 0x61, 1], .badChildren),
            ([0x06, 1, 1, 0x61, 0], .badChildren),
            ([0x06, 1, 1, 0x2E, 1], .badKey),
            ([0x06, 1, 0, 1], .badKey),
            ([0x05, 1, 0xFF], .notUnicode),
            ([0x04, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F], .badNumber),
            ([0x04, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], .badNumber),
            ([0x03, 0x80, 0], .badNumber),
            ([0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], .badNumber),
            ([0x01, 1], .goesOn),
            ([0x17, 0, 0, 0, 0, 0, 0, 0, 0], .unknownTag(0x17)),
            ([0x07, 8] + Array(#"{"a": 1}"#.utf8), .badChildren),
            ([0x07, 2] + Array("{}".utf8), .badChildren),
            ([0x08, 0], .badChildren),
            ([0x08, 1, 2] + [5] + Array(#""a":1"#.utf8), .badNumber),
            ([0x08, 2, 1] + [5] + Array(#""b":1"#.utf8) + [0, 1, 0x61, 1], .badChildren),
            ([0x08, 2, 0, 1, 0x61, 1, 1] + [5] + Array(#""a":1"#.utf8), .badChildren),
            ([0x08, 1, 1] + [6] + Array(#""a" :1"#.utf8), .badChildren),
            ([0x08, 1, 0, 1, 0x61, 0], .badChildren),
        ] as [([UInt8], Malformation)])
    func refused(bytes: [UInt8], reason: Malformation) {
        #expect(throws: DecodingFault.self) { try decoded(bytes) }
        do {
            _ = try decoded(bytes)
        } catch {
            guard case .malformed(let found, _) = error else { return }
            #expect(found == reason)
        }
    }

    @Test("is refused when it nests deeper than any tree")
    func tooDeep() {
        let level: [UInt8] = [NodeTag.children, 1, 1, 0x61]
        let bytes = (0..<100_000).flatMap { _ in level } + [NodeTag.yes]
        let expected = DecodingFault.malformed(.tooDeep, offset: 1 + 4 * NodeTag.depthLimit)
        #expect(throws: expected) { try decoded(bytes) }
    }
}
