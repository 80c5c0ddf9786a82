// What a server says over the realtime protocol, as JSON around JSON that is encoded already.

public import HearthCore
import HearthJSON

/// Appends messages to a client. Sources: wire-protocol.md §3, §5, §6.
///
/// What the values need is done before: they come as compact JSON in export format.
public enum RealtimeText {
    /// The answer to a ping.
    public static let pong = [UInt8](#"{"t":"c","d":{"t":"o","d":{}}}"#.utf8)
    /// On a second transport: the session was found, the client may come over.
    public static let switching = [UInt8](#"{"t":"c","d":{"t":"a","d":{}}}"#.utf8)
    /// The last message over the first transport.
    public static let ended = [UInt8](#"{"t":"c","d":{"t":"n","d":{}}}"#.utf8)

    /// Appends the first message to a client.
    ///
    /// - Parameters:
    ///   - time: the clock in ms since 1970.
    ///   - host: where the client comes next time: host and port as it named them.
    ///   - session: what the client calls this session by next time.
    public static func appendHandshake(
        time: Int64, host: String, session: String, to output: inout [UInt8]
    ) {
        output.append(#"{"t":"c","d":{"t":"h","d":{"ts":"#)
        output.append(integer: time)
        output.append(#","v":"5","h":"#)
        output.append(jsonString: host)
        output.append(#","s":"#)
        output.append(jsonString: session)
        output.append("}}}")
    }

    /// Appends the message that sends a client to another host, or refuses a second transport.
    public static func appendReset(host: String, to output: inout [UInt8]) {
        output.append(#"{"t":"c","d":{"t":"r","d":"#)
        output.append(jsonString: host)
        output.append("}}")
    }

    /// Appends a reply.
    ///
    /// - Parameter data: JSON; `{}` for a listen, the value for a get.
    public static func appendReply(
        to number: Int64, _ status: RealtimeStatus, data: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) {
        beginReply(to: number, status, &output)
        output.append(contentsOf: data)
        output.append("}}}")
    }

    /// Appends a reply with a text, which is empty for most that are well.
    public static func appendReply(
        to number: Int64, _ status: RealtimeStatus, _ text: String = "", to output: inout [UInt8]
    ) {
        beginReply(to: number, status, &output)
        output.append(jsonString: text)
        output.append("}}}")
    }

    /// Appends the reply to a listen whose values were sent, or are known.
    ///
    /// - Parameter lacksIndex: whether to warn that no rule names an index for the query.
    public static func appendListening(
        to number: Int64, lacksIndex: Bool, to output: inout [UInt8]
    ) {
        beginReply(to: number, .ok, &output)
        output.append(lacksIndex ? #"{"w":["no_index"]}}}}"# : "{}}}}")
    }

    private static func beginReply(
        to number: Int64, _ status: RealtimeStatus, _ output: inout [UInt8]
    ) {
        output.append(#"{"t":"d","d":{"r":"#)
        output.append(integer: number)
        output.append(#","b":{"s":""#)
        output.append(contentsOf: status.rawValue.utf8)
        output.append(#"","d":"#)
    }
}

extension RealtimeText {
    /// What a push changes.
    public enum Change: Sendable {
        /// The value at a path.
        case put
        /// Values at paths below a path.
        case merge
    }

    /// Appends a push up to its tag; `appendEnd` completes it. So what comes before serves all tags.
    ///
    /// - Parameters:
    ///   - path: the absolute path; an overwrite may also be of its priority.
    ///   - json: the new value, or an object of paths and their new values.
    public static func appendPush(
        _ change: Change, at path: Path, isPriority: Bool = false, json: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) {
        output.append(
            change == .put ? #"{"t":"d","d":{"a":"d","b":{"p":""# : #"{"t":"d","d":{"a":"m","b":{"p":""#)
        output.append(bare: path)
        if isPriority { output.append(path.isRoot ? ".priority" : "/.priority") }
        output.append(#"","d":"#)
        output.append(contentsOf: json)
    }

    /// Appends a push up to its tag; `appendEnd` completes it.
    ///
    /// - Complexity: O(n) in the values, which are written here.
    public static func append(_ push: Push, to output: inout [UInt8]) {
        switch push {
        case .overwrite(let path, let content):
            let (json, isPriority) = content.json
            json.withUnsafeBytes {
                appendPush(.put, at: path, isPriority: isPriority, json: $0, to: &output)
            }
        case .merge(let path, let members):
            var writer = JSONWriter()
            writer.beginObject()
            for member in members {
                let (json, isPriority) = member.content.json
                let name = member.path.keys.map(\.text) + (isPriority ? [".priority"] : [])
                writer.key(name.joined(separator: "/"))
                json.withUnsafeBytes { writer.value(text: $0) }
            }
            writer.endObject()
            writer.take().withUnsafeBytes { appendPush(.merge, at: path, json: $0, to: &output) }
        }
    }

    /// Appends the end of a push.
    ///
    /// - Parameter tag: that of the filtered listen it is for; nil for one of the whole value.
    public static func appendEnd(tag: Int64?, to output: inout [UInt8]) {
        if let tag {
            output.append(#","t":"#)
            output.append(integer: tag)
        }
        output.append("}}}")
    }

    /// Appends the push that takes a listen away from a client that may no longer read.
    ///
    /// - Parameter query: the query as the client wrote it.
    public static func appendCancel(at path: Path, query: [UInt8]?, to output: inout [UInt8]) {
        output.append(#"{"t":"d","d":{"a":"c","b":{"p":""#)
        output.append(bare: path)
        output.append("\"")
        if let query {
            output.append(#","q":["#)
            output.append(contentsOf: query)
            output.append("]")
        }
        output.append("}}}")
    }

    /// Appends the push that tells a client that its token is no longer good.
    public static func appendRevocation(
        _ status: RealtimeStatus, _ text: String, to output: inout [UInt8]
    ) {
        output.append(#"{"t":"d","d":{"a":"ac","b":{"s":""#)
        output.append(contentsOf: status.rawValue.utf8)
        output.append(#"","d":"#)
        output.append(jsonString: text)
        output.append("}}}")
    }
}

extension Push.Content {
    /// What it says as JSON, and whether that is a priority.
    fileprivate var json: (bytes: [UInt8], isPriority: Bool) {
        switch self {
        case .node(let node): (NodeSerializer.bytes(of: node, .export), false)
        case .priority(.none): (Array("null".utf8), true)
        case .priority(.number(let number)): (NodeSerializer.bytes(of: Node(Leaf(number: number))), true)
        case .priority(.string(let text)): (NodeSerializer.bytes(of: Node(.string(text))), true)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(integer value: Int64) {
        append(contentsOf: String(value).utf8)
    }

    fileprivate mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { JSONEscapes.minimal.append(UnsafeRawBufferPointer($0), to: &self) }
        append(UInt8(ascii: "\""))
    }

    /// Appends a path without a leading slash, its keys escaped for a JSON string.
    fileprivate mutating func append(bare path: Path) {
        for (index, key) in path.keys.enumerated() {
            if index > 0 { append(UInt8(ascii: "/")) }
            append(escaped: key)
        }
    }
}
