// Members looked at where they lie must be the children that a walk over nodes finds.
import HearthCore
import HearthTesting
import Testing

@Suite("An object looked at where it lies")
struct PackedObjectTests {
    private static let names = [
        "rooms", "text", "a\"b", "back\\slash", "\\", "\"", "9", "10", "007", "-1", "-", "--1", "-x", "0",
        "😀", "\u{FFFF}", "\u{E000}x", "a b", "é", "-Nabcdefghijklmnopqrs", "-Nabcdefghijklmnopqrt", "!", "~",
        "sevenby", "eight by", "eight byt", "eight by\"", "eight by\\", "eight byé",
        "exactly twenty-four byte",
        "exactly twenty-four bytes", "exactly twenty-four by\\e", "exactly twenty-four byteé", "z",
    ]

    private static let texts = [
        "", "x", "hello", "1234567", "12345678", "123456789", "é", "hellö", "12345678é", "a\"b", "\"", "\\",
        "1234567\\", "12345678\n", "a {brace}, and a comma", "\u{1}", "😀",
        "tab\there, and much more behind it",
    ]

    private func key(_ random: inout SeededRandom) throws -> Key {
        try Key(Self.names[Int.random(in: 0..<Self.names.count, using: &random)])
    }

    private func leaf(_ random: inout SeededRandom) -> Leaf {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .bool(random.oneIn(2))
        case 1: .integer(Int64.random(in: -5...5, using: &random))
        case 2: Leaf(number: Double.random(in: -1e9...1e9, using: &random))
        default: .string(Self.texts[Int.random(in: 0..<Self.texts.count, using: &random)])
        }
    }

    /// An object of a few members, which is kept as text.
    private func object(_ random: inout SeededRandom, levels: Int = 3) throws -> Node {
        var node = Node.empty
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            var child = Node(leaf(&random))
            if levels > 1, random.oneIn(2) { child = try object(&random, levels: levels - 1) }
            node.set(child, at: Path([try key(&random)]))
        }
        return node
    }

    /// Calls `body` with an object's members; false if they are not to be had.
    private func look(
        at node: Node, room: Int = 16,
        _ body: (PackedObject, UnsafeBufferPointer<PackedObject.Member>) -> Void
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: PackedObject.Member.self, capacity: room) { members in
            guard let count = node.findPackedMembers(members) else { return false }
            return node.withPackedObject { object in
                body(object, UnsafeBufferPointer(rebasing: members[..<count]))
                return true
            } ?? false
        }
    }

    private func count(
        _ keys: [Key], _ object: PackedObject, _ members: UnsafeBufferPointer<PackedObject.Member>
    ) -> Int {
        keys.withUnsafeBufferPointer { object.countOfNames($0, among: members) }
    }

    @Test("has the names and the values in the order that its children have")
    func members() throws {
        var random = SeededRandom(for: "members where they lie")
        var plainCount = 0
        for _ in 0..<2_000 {
            let node = try object(&random)
            guard node.withPackedText({ _ in true }) != nil else { continue }
            let children = Array(node.children())
            let isSeen = look(at: node) { object, members in
                #expect(members.map { object.name(of: $0).key } == children.map(\.key))
                for (member, child) in zip(members, children) {
                    #expect(object.node(of: member) == child.node)
                    let value = object.value(of: member)
                    #expect((value == nil) == child.node.hasChildren)
                    #expect(value?.node == (child.node.hasChildren ? nil : child.node))
                    #expect(value?.nature == (child.node.hasChildren ? nil : child.node.nature))
                    guard let value, let plain = value.plainText else { continue }
                    plainCount += 1
                    #expect(child.node.text == String(decoding: plain, as: UTF8.self))
                }
            }
            #expect(isSeen)
        }
        #expect(plainCount > 400)
    }

    @Test("tells which texts stand as they are: those of ASCII without anything to be escaped")
    func plainTexts() throws {
        for text in Self.texts {
            let node = Node.empty.setting(Node(.string(text)), at: Path([try Key("text")]))
            let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x80 && $0 != 0x22 && $0 != 0x5C }
            let isSeen = look(at: node) { object, members in
                let plain = object.value(of: members[0])?.plainText
                #expect(
                    plain.map { String(decoding: $0, as: UTF8.self) } == (isPlain ? text : nil), "\(text)")
            }
            #expect(isSeen)
        }
    }

    @Test("has just the names that its node has, and knows where they stand among others")
    func names() throws {
        var random = SeededRandom(for: "names where they lie")
        let keys = try Self.names.map { try Key($0) }
        for round in 0..<1_000 {
            let node = try object(&random, levels: 1)
            let some = keys.shuffled(using: &random).prefix(round % 20).sorted()
            let isSeen = look(at: node) { object, members in
                for key in keys {
                    #expect(count([key], object, members) == (node.hasChild(key) ? 1 : 0), "\(key)")
                }
                let expected = some.prefix { node.hasChild($0) }.count
                #expect(count(Array(some), object, members) == expected)
                for member in members {
                    let name = object.name(of: member)
                    #expect(name.place(in: some) == some.firstIndex(of: name.key), "\(name.key)")
                }
            }
            #expect(isSeen)
        }
    }

    @Test("is not to be had where there is none, or where it has too many members for the room")
    func none() throws {
        var random = SeededRandom(for: "members for the room")
        let node = try object(&random, levels: 1)
        for room in 1...10 {
            #expect(look(at: node, room: room) { _, _ in } == (node.childCount <= room))
        }
        let ranked = node.settingPriority(.number(1))
        for other in [.empty, Node(.string("x")), Node(.bool(true), priority: .number(1)), ranked] {
            #expect(!look(at: other) { _, _ in })
            #expect(other.withPackedObject { _ in true } == nil)
        }
    }
}
