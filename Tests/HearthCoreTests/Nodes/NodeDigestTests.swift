// Digests and ETags.
import HearthCore
import HearthTesting
import Testing

@Suite("The digest of a node")
struct NodeDigestTests {
    @Test("is an ETag of 44 characters, or null_etag for nothing")
    func etag() throws {
        #expect(Node.empty.etag == "null_etag")
        let tag = try node(#"{"topic":"hello"}"#).etag
        #expect(tag.utf8.count == 44 && tag.utf8.last == UInt8(ascii: "="))
        #expect(tag == (try node(#"{ "topic" : "hello" }"#)).etag)
    }

    @Test("is the same whatever way led to the content")
    func history() throws {
        var random = SeededRandom(for: "digest history")
        let numbers = Array(0..<500)
        var tags: Set<String> = []
        for _ in 0..<4 {
            var root = Node.empty
            for number in numbers.shuffled(using: &random) {
                root.set(Node(.string("extra")), at: try path("rooms/lobby/x\(number % 50)"))
                root.set(Node(.integer(Int64(number))), at: try path("rooms/lobby/\(number)"))
                // Asking in between fills caches that must not go stale.
                if number % 7 == 0 { #expect(root.digest == root.digest) }
            }
            for number in 0..<50 { root.set(.empty, at: try path("rooms/lobby/x\(number)")) }
            tags.insert(root.etag)
        }
        #expect(tags.count == 1)
    }

    @Test("is for a worker where much is to be hashed, and known but for a little after a write")
    func effort() throws {
        var list = Node.empty
        for number in 0..<5_000 {
            list.set(Node(.string("message")), at: try path("m\(number)/text"))
        }
        #expect(!list.hasDigest())
        #expect(list.hasDigest(within: 1_000_000))
        _ = list.digest
        #expect(list.hasDigest(within: 0))
        let written = list.setting(Node(.string("another")), at: try path("m77/text"))
        #expect(!written.hasDigest(within: 100))
        #expect(written.hasDigest(within: 10_000))
        let long = Node(.string(String(repeating: "x", count: 100_000)))
        #expect(!long.hasDigest())
        #expect(!list.setting(long, at: try path("m77/text")).hasDigest())
        var beside = list
        for number in 0..<2_000 { beside.set(Node(.integer(1)), at: try path("other/m\(number)")) }
        #expect(!beside.hasDigest(within: 10_000))
        _ = beside.child(try Key("other")).digest
        #expect(beside.hasDigest(within: 10_000))
        #expect(Node.empty.hasDigest() && Node(.bool(true)).hasDigest())
    }

    @Test("changes with every change below, and comes back with the content")
    func change() throws {
        var root = try node(#"{"rooms":{"lobby":{"topic":"hello","open":true}},".priority":1}"#)
        let first = root.digest
        var seen = [first]
        for (place, value) in [
            ("rooms/lobby/topic", #""hallo""#), ("rooms/lobby/open", "false"), ("rooms/lobby/topic", "null"),
            ("rooms/x", #"{".value":1,".priority":"p"}"#), ("rooms/x", #"{".value":1,".priority":"q"}"#),
        ] {
            root.set(try node(value), at: try path(place))
            #expect(!seen.contains(root.digest))
            seen.append(root.digest)
        }
        root.set(.empty, at: try path("rooms/x"))
        root.set(try node(#"{"topic":"hello","open":true}"#), at: try path("rooms/lobby"))
        #expect(root.digest == first)
        #expect(root.settingPriority(.none).digest != first)
    }

    @Test("does not take values for keys, nor one text for two")
    func framing() throws {
        let texts = [
            #"{"a":"bc"}"#, #"{"ab":"c"}"#, #"{"a":{"b":"c"}}"#, #"{"a":"b","c":""}"#, #"{"a":"","bc":""}"#,
            "[true]", "[1]", #"["1"]"#, #"["true"]"#,
        ]
        #expect(Set(try texts.map { try node($0).digest }).count == texts.count)
    }

    @Test("takes a whole double for the integer that it is")
    func numbers() {
        #expect(Node(.double(5)).digest == Node(.integer(5)).digest)
        #expect(
            Node(.bool(true), priority: .number(-0.0)).digest
                == Node(.bool(true), priority: .number(0)).digest)
    }
}
