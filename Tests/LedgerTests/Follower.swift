// A client that follows the ledger by long-poll, from server to server, with nothing but its cursor.
import Foundation
import HearthTesting

/// Keeps what it was told, and what it must not be told: anything twice, or all anew.
struct Follower {
    private struct Batch: Decodable {
        struct Event: Decodable {
            let event: String
            let key: String
            let data: Child
        }

        let cursor: String
        let resync: Bool?
        let events: [Event]
    }

    private let monitor: Monitor<Proceedings>
    private(set) var cursor: String?
    /// All children that were told to be added, by key, and the keys of those told to be removed.
    private(set) var added: [String: Child] = [:]
    private(set) var removed: Set<String> = []
    /// How many servers told something.
    private(set) var serverCount = 0
    /// How many restores it knows of.
    private var restoreCount = 0

    init(_ monitor: Monitor<Proceedings>) {
        self.monitor = monitor
    }

    /// Follows until the run is over.
    mutating func run() {
        var number = 0
        while let server = monitor.wait(atMost: 60, { [number] in $0.server(after: number) }) ?? nil {
            number = server.number
            follow(server)
        }
    }

    /// Asks a server that changes no more until the cursor is `last`; false when it does not come to it.
    mutating func catchUp(port: UInt16, to last: String) throws -> Bool {
        let client = try WireClient(port: port)
        for _ in 0..<10_000 where cursor != last { try poll(client, timeout: "0s") }
        return cursor == last
    }

    private mutating func follow(_ server: Present) {
        do {
            let client = try WireClient(port: server.port)
            var isFirst = true
            while monitor.update({ !$0.isOver && $0.faults.isEmpty }) {
                try poll(client, timeout: cursor == nil ? "0s" : "1s")
                monitor.update { $0.followedNumber = server.number }
                if isFirst { serverCount += 1 }
                isFirst = false
            }
        } catch is WireFault {
            // The server is gone: an answer that was cut off does not count, the cursor stays.
        } catch {
            note("an answer could not be read: \(error)")
        }
    }

    private mutating func poll(_ client: WireClient, timeout: String) throws {
        let since = cursor.map { "&since=\($0)" } ?? "&limit=0"
        let kinds = "child_added,child_changed,child_removed,child_moved"
        let answer = try client.ask(
            "GET", "/ledger.json?feed=longpoll&events=\(kinds)&timeout=\(timeout)\(since)")
        guard answer.status == 200 else { return note("the poll\(since) was answered by \(answer)") }
        let batch = try JSONDecoder().decode(Batch.self, from: Data(answer.body))
        if batch.resync ?? false {
            takeState(batch.events)
        } else {
            for event in batch.events { take(event) }
        }
        cursor = batch.cursor
    }

    /// A restore makes cursors void: the present state comes, which says what has come and gone meanwhile.
    private mutating func takeState(_ events: [Batch.Event]) {
        let count = monitor.update { $0.restoreCount }
        if count == restoreCount { note("a resync came for the cursor \(cursor ?? "none")") }
        restoreCount = count
        let present = Dictionary(events.map { ($0.key, $0.data) }) { first, _ in first }
        for (key, child) in held {
            if present[key] == nil { removed.insert(key) }
            if let now = present[key], now != child { note("\(key) has changed over a restore") }
        }
        for (key, child) in present {
            if removed.contains(key) { note("\(key) is there again after a restore") }
            added[key] = child
        }
    }

    /// The children that it was told of and that are not gone.
    var held: [String: Child] { added.filter { !removed.contains($0.key) } }

    private mutating func take(_ event: Batch.Event) {
        switch event.event {
        case "child_added":
            if added.updateValue(event.data, forKey: event.key) != nil {
                note("\(event.key) was added twice")
            }
        case "child_removed":
            if added[event.key] != event.data { note("\(event.key) was removed with another value") }
            if !removed.insert(event.key).inserted { note("\(event.key) was removed twice") }
        default: note("\(event.event) was told of \(event.key)")
        }
    }

    private func note(_ fault: String) {
        monitor.update { $0.faults.append(fault) }
    }
}
