// The realtime protocol's hash against the values that the JavaScript SDK computes (wire-protocol.md §7).
import HearthCore
import HearthCrypto
import HearthTesting
import Testing

@Suite("The listen hash of a node")
struct ListenHashTests {
    @Test(
        "is the one that the JavaScript SDK computes",
        arguments: [
            ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
            ("false", "aSSNoqcS4oQwJ2xxH20rvpp3zP0="),
            ("0", "7ysMph9WPitGP7poMnMHMVPtUlI="),
            ("1", "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="),
            ("4", "eVih19a6ZDz3NL32uVBtg9KSgQY="),
            ("1.5", "4MftviR9Z/2MQCMkjh2RNbvlLJc="),
            ("-1", "dMw8oUBNk57KCeIcgAKXVS2BfB0="),
            (#""""#, "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="),
            (#""foo""#, "MRRL/+aA/uibaL//jghUpxXS/uY="),
            (#""\u00e9""#, "1M+kSgpwpb2WVucwSmGGq+h8/uU="),
            (#"{".value":"hello",".priority":2}"#, "3yATUHxHsK02+YNMtxze2Jp9aO4="),
            (#"{"a":1,"b":"x"}"#, "jRI9dwRS9sb4SWm8uuoN7+xBk4g="),
            (#"{"a":1,".priority":"p"}"#, "XmDTv07owVSgIxu8wWYeRPkdpXU="),
            (#"{"9":2,"10":1}"#, "3rTD8lX8OeK2lM3AjSk/jH9JChQ="),
            (
                #"{"a":{".value":1,".priority":10},"b":{".value":2,".priority":5}}"#,
                "RwLdXnvh8qK/CxyPHMdc1ywIPi8="
            ),
            (#"{"x":{"y":true}}"#, "jFG2xld30NVRlGo1NqSK/005T08="),
            ("[1,2]", "fOnL2UowZBFe3bI9YA5uUzua3N8="),
            (
                #"{"intNode":4,"doubleNode":4.5623,"stringNode":"hey guys","boolNode":true}"#,
                "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
            ),
            (
                #"{"root":{"c":{".value":99,".priority":"abc"},".priority":"def"}}"#,
                "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="
            ),
            (
                #"{"root":{"c":{".value":99,".priority":42},".priority":3.14}}"#,
                "B15QCqrzCxrI5zz1y00arWqFRFg="
            ),
            ("null", ""),
            (#"{"a":null}"#, ""),
        ])
    func vectors(json: String, hash: String) throws {
        #expect(try node(json).listenHash == hash)
        #expect(try node(json).matches(listenHash: hash))
    }

    @Test("is the one of the worked transcript's transaction")
    func transcript() throws {
        #expect(try node("20").listenHash == "KAU+hDgZHcHeW8Ejndss7NJXOts=")
    }

    @Test("is not mistaken for that of another value, nor for nothing")
    func others() throws {
        let values = ["1", "2", #""1""#, "true", #"{"a":1}"#, #"{"a":{"b":1}}"#, "null"]
        for one in values {
            for other in values where one != other {
                #expect(!(try node(one).matches(listenHash: try node(other).listenHash)))
            }
        }
        #expect(!(try node("1").matches(listenHash: "no hash at all")))
        #expect(!Node.empty.matches(listenHash: "no hash at all"))
    }

    /// The text of §7.1, put together in the plainest way.
    private func plainHash(_ node: Node) -> String {
        if node.isEmpty { return "" }
        var text = ""
        switch node.priority {
        case .none: break
        case .number(let number): text += "priority:number:\(hex(number)):"
        case .string(let name): text += "priority:string:\(name):"
        }
        switch node.leaf {
        case .bool(let value): text += "boolean:\(value)"
        case .integer(let value): text += "number:\(hex(Double(value)))"
        case .double(let value): text += "number:\(hex(value))"
        case .string(let value): text += "string:\(value)"
        case nil:
            let positions = node.children().map { Query().position(of: $0.node, key: $0.key) }.sorted()
            for position in positions { text += ":\(position.key):\(plainHash(node.child(position.key)))" }
        }
        return Base64.standard.encode(SHA1.digest(of: Array(text.utf8)).bytes)
    }

    private func hex(_ number: Double) -> String {
        let digits = String(number.bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @Test("is that of its text, however large the value is and whatever its priorities")
    func large() throws {
        var random = SeededRandom(for: "listen hash")
        for count in [1, 3, 40, 500, 3_000] {
            var root = Node.empty
            for number in 0..<count {
                let priority: Priority =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: .number(Double(Int.random(in: 0..<9, using: &random)))
                    case 1: .string("p\(Int.random(in: 0..<9, using: &random))")
                    default: .none
                    }
                let text = String(repeating: "é", count: Int.random(in: 0..<40, using: &random))
                root.set(
                    Node(.string(text), priority: priority), at: try path("rooms/r\(number % 7)/\(number)"))
            }
            #expect(root.listenHash == plainHash(root))
        }
        let long = Node(.string(String(repeating: "hello ", count: 30_000)))
        let parent = Node.empty.setting(long, at: try path("topic")).settingPriority(.number(1.5))
        #expect(parent.listenHash == plainHash(parent))
    }
}

@Suite("A number that the JavaScript SDK hashes wrongly")
struct MistakenNumberTests {
    /// The bits of the SDK's hash, by the value alone: that hash is of a text that holds them.
    private func mistakenHash(_ bits: String) -> String {
        Base64.standard.encode(SHA1.digest(of: Array("number:\(bits)".utf8)).bytes)
    }

    @Test(
        "is known by both hashes",
        arguments: [
            (9_007_199_254_740_991, "4340000000000000"), (-9_007_199_254_740_991, "c340000000000000"),
            (0x1p48 - 1, "42fffffffffffff0"), (0x1p49 - 2, "430ffffffffffff0"),
            (0x1p53 - 38, "434fffffffffffed"), (0x1p-29, "3e10000000000000"),
            (0x1p-1000, "0160000000000000"), (0x1.8p-1000, "0170000000000000"),
        ] as [(Double, String)])
    func known(number: Double, bits: String) {
        let node = Node(Leaf(number: number))
        #expect(node.listenHash != mistakenHash(bits))
        #expect(node.matches(listenHash: node.listenHash))
        #expect(node.matches(listenHash: mistakenHash(bits)))
    }

    @Test("does not make other numbers match")
    func others() {
        #expect(!Node(.integer(9_007_199_254_740_990)).matches(listenHash: mistakenHash("4340000000000001")))
        #expect(!Node(.integer(3)).matches(listenHash: mistakenHash("4010000000000000")))
        #expect(Node(.double(0x1p-1074)).matches(listenHash: mistakenHash("0000000000000001")))
        #expect(Node(.integer(0)).matches(listenHash: mistakenHash("0000000000000000")))
    }

    @Test("counts wherever it stands, as a value or as a priority")
    func inside() throws {
        let inner = mistakenHash("4340000000000000")
        let outer = Base64.standard.encode(SHA1.digest(of: Array(":a:\(inner)".utf8)).bytes)
        #expect(try node(#"{"a":9007199254740991}"#).matches(listenHash: outer))
        let ranked = Base64.standard.encode(
            SHA1.digest(of: Array("priority:number:4340000000000000:boolean:true".utf8)).bytes)
        #expect(
            try node(#"{".value":true,".priority":9007199254740991}"#).matches(listenHash: ranked))
    }
}
