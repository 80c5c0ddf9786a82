// Child events as JSON, and the answer to a long-poll around them.

public import HearthCore

/// Appends child events as JSON objects. Source: event-streams.md §2.
///
///     {"event":"child_added","key":"-Nb3…","previous":"-Nb2…","data":{…},"cursor":"k3Jx9a-1042"}
public enum EventText {
    /// Appends the event of a child.
    /// - Parameters:
    ///   - previous: the child before it in the asked order; nil for the first.
    ///   - json: the child's value, for a removal the old one, as JSON.
    public static func append(
        _ kind: EventKind, of key: Key, after previous: Key?, json: UnsafeRawBufferPointer, cursor: Cursor,
        to output: inout [UInt8]
    ) {
        output.append("{\"event\":\"")
        output.append(kind.name)
        output.append("\",\"key\":\"")
        output.append(escaped: key)
        if let previous {
            output.append("\",\"previous\":\"")
            output.append(escaped: previous)
            output.append("\",\"data\":")
        } else {
            output.append("\",\"previous\":null,\"data\":")
        }
        output.append(contentsOf: json)
        appendEnd(cursor, to: &output)
    }

    /// Appends the event of the whole value, which has no key.
    public static func appendValue(json: UnsafeRawBufferPointer, cursor: Cursor, to output: inout [UInt8]) {
        output.append("{\"event\":\"value\",\"data\":")
        output.append(contentsOf: json)
        appendEnd(cursor, to: &output)
    }

    private static func appendEnd(_ cursor: Cursor, to output: inout [UInt8]) {
        output.append(",\"cursor\":\"")
        output.append(cursor)
        output.append("\"}")
    }
}

/// Appends the answer to a long-poll: start, events with `separator` between, end.
///
///     {"cursor":"k3Jx9a-1042","resync":true,"events":[…,…]}
public enum LongPollText {
    /// What stands between two events.
    public static let separator = UInt8(ascii: ",")

    /// Appends everything up to the first event.
    /// - Parameters:
    ///   - cursor: where the client goes on.
    ///   - isResync: whether it must drop what it knew.
    public static func appendStart(cursor: Cursor, isResync: Bool, to output: inout [UInt8]) {
        output.append("{\"cursor\":\"")
        output.append(cursor)
        output.append(isResync ? "\",\"resync\":true,\"events\":[" : "\",\"events\":[")
    }

    /// Appends everything after the last event.
    public static func appendEnd(to output: inout [UInt8]) {
        output.append("]}")
    }
}
