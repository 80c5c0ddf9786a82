// An open event stream, read when the case comes to it.
import HearthTesting

/// Reads the events of a stream and keeps what a client would hold after them.
final class EventReader {
    struct Event {
        var name: String
        var data: String
    }

    private let client: WireClient
    private var pending = ""
    private var isEnded = false
    private var unread: [Event] = []
    /// The value after all events that were read from the connection.
    private(set) var value = JSONValue.null

    init(_ client: WireClient) {
        self.client = client
    }

    /// The next event but keep-alives; nil if none comes in time or the stream has ended.
    func next(within patience: Duration) throws -> Event? {
        let deadline = ContinuousClock.now + patience
        while unread.isEmpty {
            guard try receive(until: deadline) else { return nil }
        }
        return unread.removeFirst()
    }

    /// Waits until the value is `wanted`; all events so far then count as read.
    func wait(for wanted: JSONValue, within patience: Duration) throws {
        let deadline = ContinuousClock.now + patience
        while !wanted.plain.isSame(as: value.plain) {
            guard try receive(until: deadline) else {
                throw Mismatch("stream state: expected \(wanted.short), got \(value.short)")
            }
        }
        unread = []
    }

    private func receive(until deadline: ContinuousClock.Instant) throws -> Bool {
        let left = deadline - .now
        guard !isEnded, left > .zero else { return false }
        do {
            guard let piece = try client.readPiece(within: left) else {
                isEnded = true
                return false
            }
            pending += String(decoding: piece, as: UTF8.self)
        } catch WireClient.late {
            return false
        }
        while let end = pending.firstRange(of: "\n\n") {
            try note(pending[..<end.lowerBound])
            pending.removeSubrange(..<end.upperBound)
        }
        return true
    }

    private func note(_ block: Substring) throws {
        var event = Event(name: "message", data: "")
        var isEvent = false
        for line in block.split(separator: "\n") where !line.hasPrefix(":") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let text = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": event.name = text
            case "data": event.data += text
            default: continue
            }
            isEvent = true
        }
        guard isEvent, event.name != "keep-alive" else { return }
        unread.append(event)
        try apply(event)
    }

    private func apply(_ event: Event) throws {
        guard event.name == "put" || event.name == "patch" else { return }
        let payload = try JSONValue(parsing: event.data)
        let path = EventReader.keys(payload["path"]?.string ?? "")
        let data = payload["data"] ?? .null
        if event.name == "put" {
            value = value.setting(data.plain, at: path[...])
        } else {
            for (key, child) in data.members ?? [:] {
                value = value.setting(child.plain, at: (path + EventReader.keys(key))[...])
            }
        }
    }

    private static func keys(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }
}

extension JSONValue {
    /// The value with arrays as objects and without what is empty, so that two forms of one tree are equal.
    var plain: JSONValue {
        let children: [String: JSONValue]
        switch self {
        case .array(let elements):
            children = Dictionary(uniqueKeysWithValues: elements.enumerated().map { ("\($0)", $1) })
        case .object(let members): children = members
        default: return self
        }
        let kept = children.mapValues(\.plain).filter { !$0.value.isSame(as: .null) }
        return kept.isEmpty ? .null : .object(kept)
    }

    /// The value with `child` at the path; a null removes what is there.
    fileprivate func setting(_ child: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let key = path.first else { return child }
        var members = plain.members ?? [:]
        let below = (members[key] ?? .null).setting(child, at: path.dropFirst())
        if case .null = below {
            guard members.removeValue(forKey: key) != nil else { return self }
            return members.isEmpty ? .null : .object(members)
        }
        members[key] = below
        return .object(members)
    }
}
