// What the pages of a list look like: full, shared, and changed in place where nobody else looks.
import HearthTesting
import Testing

@testable import HearthCore

@Suite("The pages of a list")
struct PageTests {
    private func list(_ count: Int) -> Node {
        var builder = Node.Builder()
        for number in 0..<count { builder.insert(Node(.integer(Int64(number))), for: Key(index: number)) }
        return builder.finish()
    }

    /// A list whose children have priorities, so that they cannot be packed.
    private func prioritizedList(_ count: Int) -> Node {
        var builder = Node.Builder()
        for number in 0..<count {
            builder.insert(Node(.integer(Int64(number)), priority: .number(1)), for: Key(index: number))
        }
        return builder.finish()
    }

    private func pages(_ node: Node) -> [Page] {
        func below(_ page: Page) -> [Page] { [page] + page.slots.flatMap { below($0.page) } }
        return node.page.map(below) ?? []
    }

    private func fill(_ node: Node) -> Double {
        let leaves = pages(node).filter { $0.height == 0 }
        return Double(node.childCount) / Double(leaves.count * Page.entryLimit)
    }

    @Test("are full after appending, whether built or written child by child")
    func appending() {
        var written = Node.empty
        for number in 0..<20_000 { written.set(Node(.bool(true)), at: Path([Key(index: number)])) }
        #expect(fill(written) > 0.95)
        #expect(fill(list(20_000)) > 0.95)
        #expect(written.page?.height == list(20_000).page?.height)
    }

    @Test("have no room to spare in them, packed or not")
    func room() throws {
        var written = Node.empty
        var prioritized = Node.empty
        for number in 0..<5_000 {
            written.set(Node(.bool(true)), at: Path([Key(index: number)]))
            prioritized.set(Node(.bool(true), priority: .number(1)), at: Path([Key(index: number)]))
        }
        for page in pages(prioritized).filter({ $0.height == 0 }).dropLast() {
            #expect(page.packed == nil && page.entries.capacity <= Page.entryLimit + 2)
        }
        for page in pages(written).filter({ $0.height == 0 }).dropLast() {
            let packed = try #require(page.packed)
            #expect(page.entries.isEmpty && packed.bytes.capacity <= packed.bytes.count + 64)
            #expect(packed.marks.capacity <= Page.entryLimit + 2)
        }
    }

    @Test("are half full or more after random writes, a quarter at least after removals")
    func random() {
        var random = SeededRandom(for: "page fill")
        var written = Node.empty
        for number in (0..<20_000).shuffled(using: &random) {
            written.set(Node(.bool(true)), at: Path([Key(index: number)]))
        }
        #expect(fill(written) > 0.5)
        for number in (0..<20_000).shuffled(using: &random).prefix(19_000) {
            written.set(.empty, at: Path([Key(index: number)]))
        }
        #expect(written.childCount == 1_000)
        #expect(fill(written) > 0.25)
        #expect(written.invariantViolation() == nil)
    }

    @Test(
        "are shared with the state before, but for one on each level",
        arguments: [0, 31, 777, 49_999, 60_000])
    func sharing(number: Int) throws {
        let old = list(50_000)
        let known = Set(pages(old).map(ObjectIdentifier.init))
        let height = try #require(old.page?.height)
        for value in [Node(.string("new")), .empty] {
            let new = old.setting(value, at: Path([Key(index: number)]))
            let fresh = pages(new).filter { !known.contains(ObjectIdentifier($0)) }
            // A split or a join may add neighbours.
            #expect(fresh.count <= 2 * (height + 1))
        }
    }

    @Test("change in place as long as nobody else keeps the state")
    func inPlace() throws {
        let place = try path("rooms/lobby/5/text")
        var root = Node.empty.setting(list(1_000), at: try path("rooms/lobby"))
        root.set(Node(.string("a")), at: place)
        func identities() throws -> [ObjectIdentifier] {
            pages(root.descendant(at: try path("rooms/lobby"))).map(ObjectIdentifier.init)
        }
        let before = try identities()
        root.set(Node(.string("b")), at: place)
        #expect(try identities() == before)
        // A digest is dropped, not kept for another value.
        let digest = root.digest
        root.set(Node(.string("c")), at: place)
        #expect(try identities() == before)
        #expect(root.digest != digest)
        // Somebody keeps the state now.
        let kept = root
        root.set(Node(.string("d")), at: place)
        #expect(try identities() != before)
        #expect(kept.descendant(at: place).leaf == .string("c"))
        #expect(kept.digest != root.digest)
    }

    @Test("tell their least and greatest key")
    func ends() {
        #expect(list(5_000).page?.firstKey.arrayIndex == 0)
        #expect(list(5_000).page?.lastKey.arrayIndex == 4_999)
    }

    @Test("have their digest looked at from several threads at once")
    func threads() async {
        let shared = list(3_000)
        let expected = list(3_000).etag
        let tags = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { shared.etag } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tags.allSatisfy { $0 == expected })
    }

    @Test("are found wanting by the invariants when they are broken")
    func invariants() throws {
        func broken(_ change: (Page) -> Void) throws -> String {
            let node = prioritizedList(200)
            change(try #require(node.page))
            return node.invariantViolation() ?? "nothing"
        }
        #expect(try broken { _ in } == "nothing")
        #expect(try broken { $0.tally.count += 1 }.contains("counts"))
        #expect(try broken { $0.slots[1].page.tally.weight += 1 }.contains("counts"))
        #expect(try broken { $0.slots[1].page.entries.swapAt(0, 1) }.contains("out of order"))
        #expect(try broken { $0.slots[1].page.entries.removeAll() }.contains("empty"))
        #expect(try broken { $0.slots[1].page.entries.removeLast(28) }.contains("has only 4 items"))
        #expect(try broken { $0.slots[2].lower = Key(index: 65) }.contains("out of order"))
        #expect(try broken { $0.slots[1].page.entries[0].node = .empty }.contains("is empty"))
        #expect(try broken { $0.slots[1].page = Page(height: 1, slots: $0.slots) }.contains("wrong height"))
        func brokenText(_ change: (inout PackedChildren?) -> Void) throws -> String {
            let node = list(200)
            change(&(try #require(node.page)).slots[1].page.packed)
            return node.invariantViolation() ?? "nothing"
        }
        #expect(try brokenText { _ in } == "nothing")
        #expect(try brokenText { $0 = nil }.contains("is empty"))
        #expect(try brokenText { $0?.append(Key(index: 1), Node(.bool(true))) }.contains("has 33 items"))
        #expect(try brokenText { $0 = $0?.part(0..<9) }.contains("counts"))
        let unsorted = try brokenText {
            $0 = $0?.setting(Node(.bool(true)), for: Key(index: 1), at: 3, isNew: false)
        }
        #expect(unsorted.contains("out of order"))
    }
}
