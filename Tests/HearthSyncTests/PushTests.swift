// What the realtime protocol pushes for each write (wire-protocol.md §6.4, §6.5).
import HearthCore
import HearthSync
import Testing

extension View {
    /// What the write is pushed as: `d /a 1`, `m / {"a":1,"b/.priority":2}`, or nothing.
    func pushText(_ step: Step) throws -> String {
        switch try push(by: step.commit, before: step.before, after: step.after) {
        case nil: return ""
        case .overwrite(let path, let content):
            return "d \(content.isPriority ? "\(path)/.priority" : "\(path)") \(content.text)"
        case .merge(let path, let members):
            let pairs = members.map { member in
                let keys = member.path.keys.map(\.text) + (member.content.isPriority ? [".priority"] : [])
                return "\"\(keys.joined(separator: "/"))\":\(member.content.text)"
            }
            return "m \(path) {\(pairs.joined(separator: ","))}"
        }
    }
}

extension Push.Content {
    fileprivate var isPriority: Bool {
        if case .priority = self { return true }
        return false
    }

    fileprivate var text: String {
        switch self {
        case .node(let node): HearthSyncTests.text(node)
        case .priority(.none): "null"
        case .priority(.number(let number)): HearthSyncTests.text(Node(Leaf(number: number)))
        case .priority(.string(let text)): "\"\(text)\""
        }
    }
}

@Suite("A push")
struct PushTests {
    @Test(
        "of a whole value names the written place",
        arguments: [
            ToldRow("{}", "/x", "put /x/c {\"foo\":true}", "d /x/c {\"foo\":true}"),
            ToldRow("{\"x\":{\"a\":{\"b\":1}}}", "/x", "put /x/a/b/c 7", "d /x/a/b/c 7"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x null", "d /x null"),
            ToldRow("{\"x\":{\"a\":1,\"b\":2}}", "/x", "put /x/a null", "d /x/a null"),
            ToldRow("{\"x\":1}", "/x", "put /x {\"a\":2}", "d /x {\"a\":2}"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x/a 4", "d /x/a/.priority 4"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x 4", "d /x/.priority 4"),
        ])
    func below(row: ToldRow) throws { try expect(row) }

    @Test(
        "never names a place above the listener's",
        arguments: [
            ToldRow("{\"p\":{\"x\":{\"a\":1}}}", "/p/x", "put /p null", "d /p/x null"),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "put /p {\"x\":{\"b\":2},\"y\":3}", "d /p/x {\"b\":2}"),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "patch /p {\"x\":2,\"y\":3}", "d /p/x 2"),
            ToldRow("{}", "/p/x", "patch /p {\"x/a\":2,\"x/b\":4,\"y\":3}", "m /p/x {\"a\":2,\"b\":4}"),
            ToldRow("{}", "/p/x", "patch / {\"p/x/a\":2,\"p/y\":3}", "d /p/x/a 2"),
        ])
    func above(row: ToldRow) throws { try expect(row) }

    @Test(
        "tells of an update at once, and only of what it really changed",
        arguments: [
            ToldRow("{\"x\":{}}", "/x", "patch /x/c {\"m/k\":1,\"t\":2}", "m /x/c {\"m/k\":1,\"t\":2}"),
            ToldRow(
                "{\"x\":{\"a\":1,\"b\":2,\"c\":3}}", "/x", "patch /x {\"a\":1,\"b\":3,\"c\":4}",
                "m /x {\"b\":3,\"c\":4}"),
            ToldRow("{\"x\":{\"a\":1,\"b\":2}}", "/x", "patch /x {\"a\":1,\"b\":3}", "d /x/b 3"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "patch /x {\"a\":1,\"b\":null}", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "patch /x {}", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x {\"a\":1}", ""),
            ToldRow("{\"x\":1}", "/x", "put /x/b null", ""),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "put /p {\"x\":1,\"y\":2}", ""),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "rank /p 4", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x/none 4", ""),
        ])
    func changes(row: ToldRow) throws { try expect(row) }

    @Test(
        "names the whole place where a client would lose a priority on the way",
        arguments: [
            ToldRow(
                "{\"x\":{\"r\":{\"a\":1,\".priority\":5},\"z\":1}}", "/x", "patch /x/r {\"a\":null,\"b\":2}",
                "d /x/r {\"b\":2,\".priority\":5}"),
            ToldRow(
                "{\"x\":{\"r\":{\"a\":1,\"c\":1,\".priority\":5}}}", "/x", "patch /x/r {\"a\":null,\"b\":2}",
                "m /x/r {\"b\":2,\"a\":null}"),
            ToldRow(
                "{\"x\":{\"r\":{\"a\":1}}}", "/x", "patch /x/r {\"a\":null,\"b\":2}",
                "m /x/r {\"b\":2,\"a\":null}"),
        ])
    func priorities(row: ToldRow) throws { try expect(row) }

    @Test(
        "keeps a window equal: leavers are put to nothing, enterers come whole, all at once",
        arguments: [
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key last=2", "put /q/c 3",
                "m /q {\"a\":null,\"c\":3}"),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2,\"c\":3}}", "/q", query: "order=key last=2", "put /q/c null",
                "m /q {\"a\":1,\"c\":null}"),
            ToldRow(
                "{\"q\":{\"a\":1}}", "/q", query: "order=key last=2", "put /q/c/x 3", "d /q/c {\"x\":3}"),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2,\"c\":3}}", "/q", query: "order=value last=2", "put /q/c 0",
                "m /q {\"a\":1,\"c\":null}"),
            ToldRow(
                "{\"q\":{\"a\":{\"n\":1,\"m\":1},\"b\":{\"n\":2}}}", "/q", query: "order=n from=2",
                "put /q/a/n 3", "d /q/a {\"m\":1,\"n\":3}"),
            ToldRow(
                "{\"q\":{\"a\":{\"n\":3,\"m\":1},\"b\":{\"n\":2}}}", "/q", query: "order=n from=2",
                "put /q/a/m 3", "d /q/a/m 3"),
            ToldRow(
                "{\"q\":{\"b\":{\"n\":2}}}", "/q", query: "order=n from=2", "put /q/b/n 0", "d /q/b null"),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key first=1", "put /q {\"b\":5,\"c\":6}",
                "d /q {\"b\":5}"),
            ToldRow("{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key first=1", "put /q {\"a\":1}", ""),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "order=key first=1", "put /q 7", "d /q null"),
            ToldRow("{\"q\":7}", "/q", query: "order=key first=1", "put /q/a 1", "d /q/a 1"),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "first=1", "rank /q 7", ""),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "first=1", "rank /q/a 7",
                "m /q {\"a\":null,\"b\":2}"),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "first=1", "rank /q/a 7", "d /q/a/.priority 7"),
            ToldRow(
                "{\"q\":{\"a\":{\"x\":1,\"y\":{\"z\":1}},\"b\":1}}", "/q", query: "order=key last=2",
                "patch /q/a {\"x\":2,\"y/z\":2,\"y/k\":1}", "m /q {\"a/x\":2,\"a/y/z\":2,\"a/y/k\":1}"),
            ToldRow(
                "{\"q\":{\"a\":{\"x\":1,\".priority\":1},\"b\":1}}", "/q", query: "order=key last=2",
                "patch /q {\"a/x\":null,\"a/y\":2,\"b\":2}",
                "m /q {\"a\":{\"y\":2,\".priority\":1},\"b\":2}"),
        ])
    func window(row: ToldRow) throws { try expect(row) }

    private func expect(_ row: ToldRow) throws {
        for threshold in [0, 128] {
            let rules = #"{"rules": {"q": {".indexOn": [".value", "n"]}}}"#
            var scene = try Scene(row.tree, rules: rules, childThreshold: threshold)
            let view = try View(row.path, row.query)
            #expect(try view.pushText(scene.perform(row.write)) == row.told)
        }
    }
}
