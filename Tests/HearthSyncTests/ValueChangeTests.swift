// What a stream of put and patch is told about each write.
import HearthCore
import HearthSync
import Testing

/// A tree, a view, a write, and what is told of it.
struct ToldRow: CustomTestStringConvertible {
    let tree: String
    let path: String
    var query = ""
    let write: String
    let told: String

    init(_ tree: String, _ path: String, query: String = "", _ write: String, _ told: String) {
        self.tree = tree
        self.path = path
        self.query = query
        self.write = write
        self.told = told
    }

    var testDescription: String { "\(path) \(query) · \(tree) · \(write)" }
}

@Suite("A change of a value")
struct ValueChangeTests {
    @Test(
        "is told as it was written, read from the view's place",
        arguments: [
            ToldRow("{}", "/x", "put /x/c {\"foo\":true}", "put /c {\"foo\":true}"),
            ToldRow("{\"x\":{\"a\":{\"b\":1}}}", "/x", "put /x/a/b/c 7", "put /a/b/c 7"),
            ToldRow(
                "{\"x\":{\"a\":1,\"b\":2}}", "/x", "patch /x {\"b\":3,\"c\":4}", "patch / {\"b\":3,\"c\":4}"),
            ToldRow(
                "{\"x\":{\"c\":{\"k\":1}}}", "/x", "patch /x/c {\"extra\":1}", "patch /c {\"extra\":1}"),
            ToldRow(
                "{\"x\":{\"a\":1}}", "/x", "patch /x {\"b/c\":2,\"a\":null}", "patch / {\"b/c\":2,\"a\":null}"
            ),
            ToldRow("{\"x\":{\"a\":1,\"b\":2}}", "/x", "put /x/a null", "put /a null"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x null", "put / null"),
            ToldRow("{\"x\":1}", "/x", "put /x {\"a\":2}", "put / {\"a\":2}"),
            ToldRow("{\"x\":5}", "/x", "put /x/a/b 1", "put /a/b 1"),
            ToldRow("{}", "/", "put /deep/er 1", "put /deep/er 1"),
            ToldRow("{}", "/", "patch / {\"a\":1}", "patch / {\"a\":1}"),
        ])
    func below(row: ToldRow) throws { try expect(row) }

    @Test(
        "above the place is told as the new value, or as what was written below it",
        arguments: [
            ToldRow("{\"p\":{\"x\":{\"a\":1}}}", "/p/x", "put /p null", "put / null"),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "put /p {\"x\":{\"b\":2},\"y\":3}", "put / {\"b\":2}"),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "patch /p {\"x\":2,\"y\":3}", "put / 2"),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "patch / {\"p\":{\"x\":2},\"q\":3}", "put / 2"),
            ToldRow("{}", "/p/x", "patch /p {\"x/a\":2,\"x/b\":4,\"y\":3}", "patch / {\"a\":2,\"b\":4}"),
            ToldRow("{}", "/p/x", "patch /p {\"x/a/c\":2,\"y\":3}", "put /a/c 2"),
        ])
    func above(row: ToldRow) throws { try expect(row) }

    @Test(
        "is told to nobody when there is none",
        arguments: [
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x/a 1", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x {\"a\":1}", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "put /x/b null", ""),
            ToldRow("{\"x\":1}", "/x", "put /x/b null", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "patch /x {\"a\":1}", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "patch /x {}", ""),
            ToldRow("{\"x\":1}", "/x", "put /xx 2", ""),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "put /p {\"x\":1,\"y\":2}", ""),
            ToldRow("{\"p\":{\"x\":1}}", "/p/x", "rank /p 4", ""),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x/none 4", ""),
        ])
    func none(row: ToldRow) throws { try expect(row) }

    @Test(
        "of a priority is told as such",
        arguments: [
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x/a 4", "rank /a"),
            ToldRow("{\"x\":{\"a\":1}}", "/x", "rank /x 4", "rank /"),
            ToldRow(
                "{\"x\":{\"a\":1}}", "/x", "put /x/a {\".value\":1,\".priority\":4}",
                "put /a {\".value\":1,\".priority\":4}"),
        ])
    func priority(row: ToldRow) throws { try expect(row) }

    @Test(
        "keeps a window equal: leavers are put to null, enterers whole",
        arguments: [
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key last=2", "put /q/c 3",
                "patch / {\"a\":null,\"c\":3}"),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2,\"c\":3}}", "/q", query: "order=key last=2", "put /q/c null",
                "patch / {\"a\":1,\"c\":null}"),
            ToldRow(
                "{\"q\":{\"a\":1}}", "/q", query: "order=key last=2", "put /q/c {\"x\":3}", "put /c {\"x\":3}"
            ),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2,\"c\":3}}", "/q", query: "order=value last=2", "put /q/c 0",
                "patch / {\"a\":1,\"c\":null}"),
            ToldRow(
                "{\"q\":{\"a\":{\"n\":1,\"m\":1},\"b\":{\"n\":2}}}", "/q", query: "order=n from=2",
                "put /q/a/n 3", "put /a {\"m\":1,\"n\":3}"),
            ToldRow(
                "{\"q\":{\"a\":{\"n\":3,\"m\":1},\"b\":{\"n\":2}}}", "/q", query: "order=n from=2",
                "put /q/a/m 3", "put /a/m 3"),
            ToldRow("{\"q\":{\"b\":{\"n\":2}}}", "/q", query: "order=n from=2", "put /q/c {\"n\":0}", ""),
            ToldRow(
                "{\"q\":{\"b\":{\"n\":2}}}", "/q", query: "order=n from=2", "put /q/b/n 0", "put /b null"),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key first=1", "put /q {\"b\":5,\"c\":6}",
                "put / {\"b\":5}"),
            ToldRow("{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "order=key first=1", "put /q {\"a\":1}", ""),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "order=key first=1", "put /q 7", "put / null"),
            ToldRow("{\"q\":7}", "/q", query: "order=key first=1", "put /q/a 1", "put /a 1"),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "first=1", "rank /q 7", ""),
            ToldRow(
                "{\"q\":{\"a\":1,\"b\":2}}", "/q", query: "first=1", "rank /q/a 7",
                "patch / {\"a\":null,\"b\":2}"),
            ToldRow("{\"q\":{\"a\":1}}", "/q", query: "first=1", "rank /q/a 7", "rank /a"),
        ])
    func window(row: ToldRow) throws { try expect(row) }

    private func expect(_ row: ToldRow) throws {
        for threshold in [0, 128] {
            let rules = #"{"rules": {"q": {".indexOn": [".value", "n"]}}}"#
            var scene = try Scene(row.tree, rules: rules, childThreshold: threshold)
            let view = try View(row.path, row.query)
            #expect(try view.changeText(scene.perform(row.write)) == row.told)
        }
    }
}
