// Cases about uploaded files.
import HearthCore

extension CaseTrial {
    /// Whether a request to a file is allowed; nil if the case is about data.
    ///
    ///     {"op": "upload", "path": "rooms/lobby/cat.png", "auth": …,
    ///      "request": {"size": 100, "contentType": "image/png"}, "resource": …, "allow": true, "why": "…"}
    ///
    /// The other operations are `download` and `discard`, which send nothing. `resource` is what is there.
    func isFileAllowed(by rules: RuleSet) throws(Unplayable) -> Bool? {
        guard ["upload", "download", "discard"].contains(operation) else { return nil }
        guard let path = element.member("path")?.string else {
            throw Unplayable(reason: "a file has a 'path'")
        }
        guard asker != "admin" else { return true }
        let facts = FileFacts(request: try side("request"), resource: try side("resource"))
        guard (facts.request.size != nil) == (operation == "upload") else {
            throw Unplayable(reason: "an upload has a 'request' with its size, and nothing else has one")
        }
        let names = path.split(separator: "/").map(String.init)
        return rules.judgeFile(operation == "download" ? .read : .write, at: names, facts, in: try context)
            .isAllowed
    }

    private func side(_ name: String) throws(Unplayable) -> FileFacts.Side {
        guard let value = element.member(name) else { return FileFacts.Side() }
        guard let size = value.member("size")?.word.flatMap({ Int64($0) }),
            let type = value.member("contentType")?.string
        else { throw Unplayable(reason: "'\(name)' has a 'size' and a 'contentType'") }
        return FileFacts.Side(size: size, contentType: type)
    }
}
