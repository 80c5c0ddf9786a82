// `hearth namespaces`: the databases of one server, for its administrator.

import HearthClient
import HearthJSON
import HearthWire

/// Lists, creates and deletes databases.
enum NamespacesCommand {
    private static let force = Option.flag("force", "deletes without asking")

    static let command = Command(
        name: "namespaces", summary: "lists, creates or deletes the databases of a server",
        operands: [
            .required("ACTION", "list, create or delete"),
            .optional("NAME", "the database to create or delete"),
        ],
        options: [force] + ServerOptions.all.filter { $0 != ServerOptions.namespace },
        notes: [
            "It needs the administrator's token. 'list' prints NAME, revision and history floor, with tabs."
        ],
        examples: ["hearth namespaces create chat --admin-from hearth-data"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let name = invocation.operand(1)
        switch (invocation.requiredOperand(0), name) {
        case ("list", nil): try list(invocation)
        case ("list", .some): throw .misused("list takes no NAME")
        case ("create", let name?): try create(name, invocation)
        case ("delete", let name?): try delete(name, invocation)
        case ("create", nil), ("delete", nil): throw .misused("NAME is missing; usage: \(command.usage)")
        case (let action, _):
            let near = Suggestion.nearest(to: action, among: ["list", "create", "delete"])
            throw .misused(
                "unknown action '\(action)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
                    + "; usage: \(command.usage)")
        }
    }

    private static func target(_ name: String?) -> RequestTarget {
        RequestTarget(path: "/.settings/namespaces.json", query: name.map { [("ns", $0)] } ?? [])
    }

    private static func list(_ invocation: Invocation) throws(CommandFailure) {
        let client = try ServerOptions.client(invocation)
        let answer = try client.text(ClientRequest(.get, target(nil)))
        guard let rows = NamespaceRow.rows(in: answer) else {
            throw .failed("\(client.address) answered something else than a list; check the address")
        }
        for row in rows { try invocation.console.print(row.line) }
    }

    private static func create(_ name: String, _ invocation: Invocation) throws(CommandFailure) {
        let client = try ServerOptions.client(invocation)
        _ = try client.ask(ClientRequest(.put, target(name)))
        invocation.console.tell("database \(name) is there")
    }

    private static func delete(_ name: String, _ invocation: Invocation) throws(CommandFailure) {
        let client = try ServerOptions.client(invocation)
        if !invocation.has(force) {
            try invocation.console.confirm(
                "Delete the database \(name) with everything in it?",
                otherwise: "deleting the database \(name) needs a yes")
        }
        _ = try client.ask(ClientRequest(.delete, target(name)))
        invocation.console.tell("deleted the database \(name)")
    }
}

/// One database in the server's list.
struct NamespaceRow: Equatable {
    let name: String
    var revision: Int64 = 0
    var floor: Int64 = 0

    /// Name, revision and history floor, with tabs between.
    var line: String { "\(name)\t\(revision)\t\(floor)" }

    /// Reads `{"NAME":{"revision":…,"historyFloor":…}}`; nil for anything else.
    static func rows(in text: String) -> [NamespaceRow]? {
        Array(text.utf8).withUnsafeBytes { bytes in
            // A text that is no JSON is no list, which the caller reports.
            try? read(bytes)
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [NamespaceRow]? {
        var reader = JSONReader()
        guard try reader.next(in: bytes, isFinal: true) == .beginObject else { return nil }
        var rows: [NamespaceRow] = []
        while case .key(let name) = try reader.next(in: bytes, isFinal: true) {
            guard try reader.next(in: bytes, isFinal: true) == .beginObject else { return nil }
            var row = NamespaceRow(name: name.string(in: bytes))
            while case .key(let member) = try reader.next(in: bytes, isFinal: true) {
                guard case .integer(let number) = try reader.next(in: bytes, isFinal: true) else {
                    return nil
                }
                if member.says("revision", in: bytes) { row.revision = number }
                if member.says("historyFloor", in: bytes) { row.floor = number }
            }
            rows.append(row)
        }
        return rows
    }
}
