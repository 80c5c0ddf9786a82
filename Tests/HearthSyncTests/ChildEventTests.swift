// What a listener on children is told about each write.
import HearthCore
import HearthSync
import Testing

/// A tree at /q, a query, a write, and the events that tell it.
struct EventRow: CustomTestStringConvertible {
    let tree: String
    let query: String
    let write: String
    let events: [String]

    init(_ tree: String, _ query: String, _ write: String, _ events: [String]) {
        self.tree = tree
        self.query = query
        self.write = write
        self.events = events
    }

    var testDescription: String { "\(query) · \(tree) · \(write)" }
}

@Suite("The child events of a write")
struct ChildEventTests {
    @Test(
        "say what was added, changed and removed, and after which child",
        arguments: [
            EventRow("null", "", "put /q/a 1", ["+a 1", "="]),
            EventRow("{\"a\":1,\"b\":2}", "", "put /q/c 3", ["+c after b 3", "="]),
            EventRow("{\"a\":1,\"c\":2}", "", "put /q/b 3", ["+b after a 3", "="]),
            EventRow("{\"a\":1,\"b\":2}", "", "put /q/a null", ["-a 1", "="]),
            EventRow("{\"a\":1,\"b\":{\"c\":2}}", "", "put /q/b/c 3", ["*b after a {\"c\":3}", "="]),
            EventRow("{\"a\":1,\"b\":2}", "", "put /q/b 2", []),
            EventRow("{\"a\":1}", "", "put /q null", ["-a 1", "="]),
            EventRow("{\"a\":1}", "", "put /q 5", ["-a 1", "="]),
            EventRow("5", "", "put /q 6", ["="]),
            EventRow("5", "", "put /q/a 6", ["+a 6", "="]),
            EventRow("5", "", "put /q/a null", []),
            EventRow("{\"10\":1,\"9\":1,\"b\":1}", "", "put /q/a 1", ["+a after 10 1", "="]),
        ])
    func simple(row: EventRow) throws { try expect(row) }

    @Test(
        "come removed, added, moved, changed, each kind in order",
        arguments: [
            EventRow(
                "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", "order=value",
                "patch /q {\"d\":null,\"a\":null,\"x\":9,\"e\":0,\"c\":7,\"b\":8}",
                [
                    "-a 1", "-d 4", "+e 0", "+x after b 9", ">c after e 7", ">b after c 8", "*c after e 7",
                    "*b after c 8", "=",
                ]),
            EventRow(
                "{\"a\":1,\"b\":2}", "", "put / {\"q\":{\"b\":3,\"c\":4}}",
                ["-a 1", "+c after b 4", "*b 3", "="]),
        ])
    func ordered(row: EventRow) throws { try expect(row) }

    @Test(
        "move a child whose ordered value has changed, even if its neighbours stay",
        arguments: [
            EventRow(
                "{\"a\":1,\"b\":2}", "order=value", "put /q/b 3", [">b after a 3", "*b after a 3", "="]),
            EventRow(
                "{\"a\":{\"n\":1},\"b\":{\"n\":2}}", "order=n", "put /q/b {\"n\":0,\"m\":1}",
                [">b {\"m\":1,\"n\":0}", "*b {\"m\":1,\"n\":0}", "="]),
            EventRow("{\"b\":{\"n\":2}}", "order=n", "put /q/b/m 1", ["*b {\"m\":1,\"n\":2}", "="]),
            EventRow("{\"a\":1,\"b\":2}", "order=key", "put /q/b 0", ["*b after a 0", "="]),
            EventRow("{\"a\":{\"x\":1}}", "order=value", "put /q/a/x 2", ["*a {\"x\":2}", "="]),
            EventRow(
                "{\"a\":1,\"b\":2}", "", "rank /q/a 5",
                [
                    ">a after b {\".value\":1,\".priority\":5}", "*a after b {\".value\":1,\".priority\":5}",
                    "=",
                ]),
            EventRow("{\"a\":1,\"b\":2}", "", "rank /q 5", []),
        ])
    func moved(row: EventRow) throws { try expect(row) }

    @Test(
        "of a window tell who leaves and who enters",
        arguments: [
            EventRow("{\"a\":1,\"b\":2}", "last=2", "put /q/c 3", ["-a 1", "+c after b 3", "="]),
            EventRow("{\"a\":1,\"b\":2,\"c\":3}", "last=2", "put /q/c null", ["-c 3", "+a 1", "="]),
            EventRow("{\"a\":1,\"b\":2,\"c\":3}", "last=2", "put /q/a 9", []),
            EventRow("{\"a\":1,\"b\":2,\"c\":3}", "last=2", "put /q/b 9", ["*b 9", "="]),
            EventRow("{\"a\":1,\"b\":2}", "first=2", "put /q/c 3", []),
            EventRow("{\"b\":1,\"c\":2}", "first=2", "put /q/a 3", ["-c 2", "+a 3", "="]),
            EventRow(
                "{\"a\":1,\"b\":2,\"c\":3}", "order=value last=2", "put /q/c 0", ["-c 3", "+a 1", "="]),
            EventRow(
                "{\"a\":1,\"b\":2,\"c\":3}", "order=value last=2", "put /q/a 4",
                ["-b 2", "+a after c 4", "="]),
            EventRow("{\"a\":1,\"b\":2}", "order=value from=2", "put /q/a 3", ["+a after b 3", "="]),
            EventRow("{\"a\":1,\"b\":2}", "order=value from=2", "put /q/b 1", ["-b 2", "="]),
            EventRow(
                "{\"a\":1,\"b\":2,\"c\":3}", "order=value after=1 before=3", "put /q/a 2", ["+a 2", "="]),
            EventRow("{\"a\":1}", "last=2", "put /q 5", ["-a 1", "="]),
            EventRow("5", "last=2", "put /q 6", []),
        ])
    func window(row: EventRow) throws { try expect(row) }

    @Test("tell the present as if each child had just been added")
    func present() throws {
        let tree = #"{"q":{"b":{".value":1,".priority":2},"a":2,"c":3,"10":4,"9":5}}"#
        let scene = try Scene(tree)
        func present(_ query: String) throws -> [String] {
            try View("/q", query).present(in: scene.state).map(\.summary)
        }
        #expect(try present("order=key").map { $0.prefix(2) } == ["+9", "+1", "+a", "+b", "+c"])
        #expect(
            try present("")
                == [
                    "+9 5", "+10 after 9 4", "+a after 10 2", "+c after a 3",
                    "+b after c {\".value\":1,\".priority\":2}",
                ])
        #expect(try present("order=value last=2") == ["+10 4", "+9 after 10 5"])
        #expect(
            try present("order=key from=a to=b") == ["+a 2", "+b after a {\".value\":1,\".priority\":2}"])
        #expect(try View("/none").present(in: scene.state).map(\.summary) == [])
        #expect(try View("/q/a").present(in: scene.state).map(\.summary) == [])
    }

    private func expect(_ row: EventRow) throws {
        for threshold in [0, 128] {
            let rules = #"{"rules": {"q": {".indexOn": [".value", "n"]}}}"#
            var scene = try Scene("{\"q\":\(row.tree)}", rules: rules, childThreshold: threshold)
            let view = try View("/q", row.query)
            #expect(try view.eventTexts(scene.perform(row.write)) == row.events)
        }
    }
}
