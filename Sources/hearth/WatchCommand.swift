// `hearth watch`: follows the events of a place.

import HearthClient
import HearthWire

/// Follows over lost connections and restarts, and says where to go on.
enum WatchCommand {
    private static let events = Option.value(
        "events", "LIST",
        "which events, with commas between: child_added, child_changed, child_removed, child_moved, "
            + "value; all "
            + "child events if not given")
    private static let since = Option.value(
        "since", "CURSOR", "goes on behind CURSOR; 'now' leaves out the present state")
    private static let ndjson = Option.flag("ndjson", "prints one event a line as JSON, for scripts")
    private static let exec = Option.value(
        "exec", "CMD", "runs CMD in a shell for each event, the event as JSON on its standard input")

    static let command = Command(
        name: "watch", summary: "follows the events of a place", operands: [Place.operand],
        options: [events, since, ndjson, exec] + QueryOptions.all + ServerOptions.all,
        notes: [
            QueryOptions.note,
            "The present state comes first. A lost connection is opened again and the stream goes "
                + "on where it was: no "
                + "event is lost, none comes twice. When the server no longer keeps what was "
                + "missed, a resync is "
                + "announced and the present state follows. Ctrl-C prints the cursor to go on with; "
                + "a second one ends "
                + "at once. A CMD that fails is reported and does not stop the stream.",
        ],
        examples: [
            "hearth watch /rooms/lobby/messages",
            "hearth watch /rooms/lobby/messages --events child_added --since now --exec 'notify-send Chat'",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = try Place.path(invocation)
        let subject = EventFollower.Subject(
            path: path, events: try kinds(invocation.value(of: events)),
            query: try QueryOptions.parameters(invocation))
        let output = EventOutput(
            console: invocation.console, isNDJSON: invocation.has(ndjson),
            shellCommand: invocation.value(of: exec))
        let client = try ServerOptions.client(invocation, wakeDescriptor: try Interruption.listen())
        let console = invocation.console
        var follower = EventFollower(subject, from: start(invocation), through: client) { notice in
            console.tell(text(of: notice))
        }
        try follow(&follower, path, output, console)
    }

    private static func follow(
        _ follower: inout EventFollower, _ path: String, _ output: EventOutput, _ console: Console
    ) throws(CommandFailure) {
        var cursor = follower.cursor
        while true {
            let batch: EventBatch
            do throws(ClientError) {
                batch = try follower.next()
            } catch {
                tellCursor(cursor, path, console)
                guard error != .interrupted else { return }
                throw CommandFailure(error)
            }
            guard try tell(batch, output, &cursor) else { return tellCursor(cursor, path, console) }
        }
    }

    /// Tells the events of an answer; returns false when the program is to stop. It stops only between two
    /// writes, so that the cursor says exactly what was told.
    private static func tell(
        _ batch: EventBatch, _ output: EventOutput, _ cursor: inout String?
    ) throws(CommandFailure) -> Bool {
        if batch.isResync { try output.tellResync(cursor: batch.cursor) }
        for event in batch.events {
            if Interruption.isRequested, let told = cursor, told != event.cursor, !batch.isResync {
                return false
            }
            try output.tell(event)
            cursor = event.cursor
        }
        cursor = batch.cursor
        return !Interruption.isRequested
    }

    private static func tellCursor(_ cursor: String?, _ path: String, _ console: Console) {
        guard let cursor else { return }
        console.tell("to go on: hearth watch \(path) --since \(cursor)")
    }

    private static func start(_ invocation: Invocation) -> EventFollower.Start {
        switch invocation.value(of: since) {
        case nil: .present
        case "now": .now
        case let cursor?: .after(cursor)
        }
    }

    private static func kinds(_ list: String?) throws(CommandFailure) -> [EventKind] {
        guard let list else { return [.childAdded, .childChanged, .childRemoved, .childMoved] }
        var kinds: [EventKind] = []
        for name in list.split(separator: ",") {
            guard let kind = EventKind(name: name.trimmed) else {
                let names = EventKind.allCases.map { "\($0.name)" }
                let near = Suggestion.nearest(to: String(name), among: names)
                throw .misused("unknown event '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
            }
            kinds.append(kind)
        }
        guard !kinds.isEmpty else { throw .misused("--events names no event") }
        return kinds
    }

    private static func text(of notice: EventFollower.Notice) -> String {
        switch notice {
        case .restored: return "connected again"
        case .lost(let error, let pause):
            let parts = pause.components
            let tenths = parts.seconds * 10 + parts.attoseconds / 100_000_000_000_000_000
            return "\(error); trying again in \(tenths / 10).\(tenths % 10) s"
        }
    }
}
