// Events as Server-Sent Events: envelopes around JSON that is encoded already.

public import HearthCore
import HearthJSON

/// Appends the text of events; the same bytes serve every reader of a view. Source: event-streams.md §3,
/// rest-api.md §7.
///
///     event: put
///     id: k3Jx9a-1042
///     data: {"path":"/topic","data":"bye"}
///
/// The data must be compact JSON, which has no line ends.
public enum SSEText {
    /// The two kinds of event that bring a value forward.
    public enum Change: Sendable {
        /// Replaces the value at a path.
        case put
        /// Replaces named children of a path.
        case patch
    }

    /// What every stream begins with: how long a client waits before it comes back.
    ///
    /// The line belongs to the event that follows. An empty line after it would make an event without data,
    /// which browsers pass over, but on which Firebase's Python clients fail.
    public static let start = [UInt8]("retry: 1000\n".utf8)
    /// Ends a stream whose reader may no longer read.
    public static let cancel = [UInt8]("event: cancel\ndata: null\n\n".utf8)
    /// Ends a stream whose reader's token is no longer valid.
    public static let authRevoked = [UInt8](
        "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n".utf8)

    /// Appends a `put` or `patch`.
    /// - Parameters:
    ///   - path: read from the streamed place.
    ///   - json: the new value, or the children with their new values.
    public static func append(
        _ change: Change, at path: Path, json: UnsafeRawBufferPointer, cursor: Cursor,
        to output: inout [UInt8]
    ) {
        output.append(change == .put ? "event: put\nid: " : "event: patch\nid: ")
        output.append(cursor)
        output.append("\ndata: {\"path\":\"")
        output.append(escaped: path)
        output.append("\",\"data\":")
        output.append(contentsOf: json)
        output.append("}\n\n")
    }

    /// Appends a sign of life, with the newest durable cursor.
    public static func appendKeepAlive(cursor: Cursor, to output: inout [UInt8]) {
        output.append("event: keep-alive\nid: ")
        output.append(cursor)
        output.append("\ndata: null\n\n")
    }

    /// Appends a child event whose object `EventText` has made.
    public static func append(
        _ kind: EventKind, object: UnsafeRawBufferPointer, cursor: Cursor, to output: inout [UInt8]
    ) {
        output.append("event: ")
        output.append(kind.name)
        output.append("\nid: ")
        output.append(cursor)
        output.append("\ndata: ")
        output.append(contentsOf: object)
        output.append("\n\n")
    }

    /// Appends the event that tells a reader of child events to drop what it knew: the state at `cursor`
    /// follows, of which the `id` says that nothing has been told yet.
    public static func appendResync(cursor: Cursor, to output: inout [UInt8]) {
        output.append("event: resync\nid: ")
        output.append(Cursor(epoch: cursor.epoch, revision: cursor.revision, part: .children(0)))
        output.append("\ndata: {\"cursor\":\"")
        output.append(cursor)
        output.append("\"}\n\n")
    }
}

extension [UInt8] {
    mutating func append(_ cursor: Cursor) {
        append(contentsOf: cursor.epoch.utf8)
        append(UInt8(ascii: "-"))
        append(decimal: Int(cursor.revision))
        switch cursor.part {
        case .all: break
        case .events(let count):
            append(".e")
            append(decimal: count)
        case .children(let count):
            append(".s")
            append(decimal: count)
        }
    }

    /// Appends a path with a leading slash, its keys escaped for a JSON string.
    mutating func append(escaped path: Path) {
        if path.isRoot { append(UInt8(ascii: "/")) }
        for key in path.keys {
            append(UInt8(ascii: "/"))
            append(escaped: key)
        }
    }

    /// Appends a key, escaped for a JSON string.
    mutating func append(escaped key: Key) {
        let bytes = key.utf8Bytes
        bytes.withUnsafeBytes { JSONEscapes.minimal.append($0, to: &self) }
    }
}
