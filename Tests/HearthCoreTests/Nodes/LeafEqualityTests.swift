// Texts that look alike are different values.
import HearthCore
import Testing

@Suite("Equal leaves")
struct LeafEqualityTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("have the same characters, not just the same look")
    func canonicalEquivalence() {
        #expect(composed == decomposed)
        #expect(Leaf.string(composed) != Leaf.string(decomposed))
        #expect(Leaf.string(composed) == Leaf.string(composed))
        #expect(Priority.string(composed) != Priority.string(decomposed))
        #expect(Node(.string(composed)) != Node(.string(decomposed)))
    }

    @Test("are of the same kind")
    func kinds() {
        let leaves: [Leaf] = [
            .bool(true), .bool(false), .integer(1), .double(1.5), .string("1"), .string(""),
        ]
        for (index, leaf) in leaves.enumerated() {
            #expect(leaves.filter { $0 == leaf }.count == 1)
            #expect(leaves.firstIndex(of: leaf) == index)
        }
        #expect(Priority.none != Priority.number(0))
        #expect(Priority.number(2) == Priority.number(2))
    }
}
