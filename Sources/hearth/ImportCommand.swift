// `hearth import`: loads a JSON snapshot of any size as one change.

import HearthClient
import HearthWire

/// Streams a file through the bulk endpoint (architecture.md §9).
enum ImportCommand {
    private static let merge = Option.flag("merge", "writes the children of the file and leaves the others")
    private static let replace = Option.flag("replace", "replaces what is there")
    private static let dryRun = Option.flag("dry-run", "checks the file and writes nothing")

    static let command = Command(
        name: "import", summary: "loads a JSON snapshot of any size as one atomic change",
        operands: [Place.operand, .required("FILE", "the snapshot; - reads standard input")],
        options: [merge, replace, dryRun] + ServerOptions.all,
        notes: [
            "It needs the administrator's token. Without --merge or --replace it refuses a place "
                + "that is not empty. "
                + "An error names line and column, and everything is as it was."
        ],
        examples: [
            "hearth import / chat.json --admin-from hearth-data",
            "gunzip -c chat.json.gz | hearth import /rooms - --merge --token-file token",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        guard !invocation.has(merge) || !invocation.has(replace) else {
            throw .misused("give only one of --merge and --replace")
        }
        let client = try ServerOptions.client(invocation)
        let input = try InputFile.open(invocation.requiredOperand(1))
        let mode = invocation.has(merge) ? "merge" : invocation.has(replace) ? "replace" : "create"
        var query = [(name: "path", value: path), (name: "mode", value: mode)]
        if invocation.has(dryRun) { query.append(("dryRun", "true")) }
        let target = RequestTarget(path: "/.settings/import.json", query: query)

        var sent = 0
        var progress = Progress("import", total: input.length, on: invocation.console)
        defer { progress.finish() }
        let body = input.body { count in
            sent = count
            progress.update(count)
        }
        do throws(ClientError) {
            _ = try client.collect(ClientRequest(.put, target, body: body, patience: .seconds(3_600)))
        } catch {
            progress.finish()
            if input.length == 0, case .refused(let refusal) = error, refusal.status == 400 {
                throw .failed("\(input.name):1:1: there is nothing in it: \(refusal)\nnothing was written")
            }
            throw failure(error, input.name, path)
        }
        progress.finish()
        let verb = invocation.has(dryRun) ? "is sound and would go" : "went"
        invocation.console.tell("\(Quantities.size(sent)) of \(input.name) \(verb) to \(path)")
    }

    /// Puts the file in front of a place in it: `chat.json:3:14: …`.
    static func failure(_ error: ClientError, _ file: String, _ path: String) -> CommandFailure {
        guard case .refused(let refusal) = error else { return CommandFailure(error) }
        if let place = FilePlace(beginning: refusal.reason) {
            return .failed("\(file):\(place.line):\(place.column): \(place.rest)\nnothing was written")
        }
        if refusal.status == 409 || refusal.status == 412 {
            return .failed("\(refusal.reason)\nnothing was written; say --merge or --replace")
        }
        return CommandFailure(error)
    }
}

/// A place in a file as servers tell it: `3:14: text` or `line 3, column 14: text`, also inside a sentence.
struct FilePlace: Equatable {
    let line: Int
    let column: Int
    /// What is said about it.
    let rest: String

    /// Finds the place in `text`; nil if none is there.
    init?(beginning text: String) {
        if let place = FilePlace.spelledOut(text) ?? FilePlace.short(text) {
            self = place
        } else {
            return nil
        }
    }

    private init(line: Int, column: Int, rest: Substring) {
        self.line = line
        self.column = column
        self.rest = String(rest.trimmed)
    }

    private static func short(_ text: String) -> FilePlace? {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let line = Int(parts[0]), let column = Int(parts[1]) else { return nil }
        return FilePlace(line: line, column: column, rest: parts[2])
    }

    private static func spelledOut(_ text: String) -> FilePlace? {
        var rest = text[...]
        while let mark = rest.range(of: "line ") {
            let tail = rest[mark.upperBound...]
            let digits = tail.prefix(while: \.isASCIIDigit)
            let middle = tail[digits.endIndex...]
            if let line = Int(digits), middle.hasPrefix(", column ") {
                let number = middle.dropFirst(9).prefix(while: \.isASCIIDigit)
                let behind = middle[number.endIndex...].drop { $0 == ":" || $0 == " " || $0 == "." }
                let before = rest[..<mark.lowerBound].trimmed
                guard let column = Int(number) else { return nil }
                return FilePlace(line: line, column: column, rest: behind.isEmpty ? before : behind)
            }
            rest = tail
        }
        return nil
    }
}

extension Substring {
    /// The first place where `text` stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
