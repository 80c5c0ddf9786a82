// Many lookups at once against one after the other.
import HearthCore
import HearthTesting
import Testing

@Suite("Children looked up side by side")
struct PageLookupsTests {
    /// Names with the same beginning, integers, push IDs and long ones, of which some have the same 24 bytes.
    private func name(_ number: Int) -> String {
        switch number % 5 {
        case 0: "\(number)"
        case 1: "message-\(number)"
        case 2: "-OfR2nCVpHTk\(number)"
        case 3: "a name of more than twenty-four bytes \(number)"
        default: String(UnicodeScalar(UInt8(97 + number % 26))) + "\(number)"
        }
    }

    @Test("are those that single lookups find", arguments: [0, 1, 32, 33, 1_025, 40_000])
    func lookups(count: Int) throws {
        var random = SeededRandom(for: "lookups \(count)")
        var builder = Node.Builder()
        for number in 0..<count {
            builder.insert(Node(.integer(Int64(number))), for: try Key(name(number * 2)))
        }
        let node = builder.finish()
        for asked in [0, 1, 2, 63, 64, 65, 200] {
            let keys = try (0..<asked).map { _ in
                try Key(name(.random(in: 0...count * 2 + 5, using: &random)))
            }
            let found = node.children(named: keys)
            #expect(found == keys.map { node.child($0) })
        }
        for number in 0..<count where count < 2_000 || number % 97 == 0 {
            #expect(node.child(try Key(name(number * 2))) == Node(.integer(Int64(number))))
            #expect(node.child(try Key(name(number * 2 + 1))).isEmpty)
        }
    }

    @Test("are none below a leaf or nothing")
    func none() throws {
        let keys = [try Key("a"), try Key("b")]
        #expect(Node.empty.children(named: keys) == [.empty, .empty])
        #expect(Node(.bool(true)).children(named: keys) == [.empty, .empty])
    }
}
