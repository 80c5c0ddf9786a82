// Long-polls and streams as requests ask for them.

import HearthCore
import HearthWire
import Testing

@Suite("The feed of a request")
struct RESTFeedTests {
    static let cursor = Cursor(epoch: "k3Jx9a", revision: 1042)
    static let accept = "Accept: text/event-stream"

    @Test("is the value alone unless something else is asked for")
    func value() throws {
        #expect(try RESTCall(head("GET /a.json?since=now&events=value")).feed == .value)
        #expect(try RESTCall(head("HEAD /a.json", Self.accept)).feed == .value)
        #expect(try RESTCall(head("PUT /a.json?feed=longpoll", Self.accept)).feed == .value)
        #expect(try RESTCall(head("GET /a.json", "Accept: */*")).feed == .value)
    }

    @Test("of a long-poll has its defaults")
    func defaults() throws {
        guard case .longPoll(let poll) = try read(["feed": "longpoll"]).feed else {
            Issue.record("no long-poll")
            return
        }
        #expect(poll.events == EventKinds(.childAdded))
        #expect(poll.since == .beginning)
        #expect(poll.timeout == .seconds(30))
        #expect(poll.limit == 1_000)
    }

    @Test("of a long-poll takes what it is given")
    func longPoll() throws {
        let feed = try read([
            "feed": "longpoll", "events": "child_added, child_removed,value", "since": "k3Jx9a-1042",
            "timeout": "500ms",
            "limit": "0",
        ]).feed
        guard case .longPoll(let poll) = feed else {
            Issue.record("no long-poll")
            return
        }
        #expect(poll.events == [EventKinds(.childAdded), EventKinds(.childRemoved), EventKinds(.value)])
        #expect(poll.since == .cursor(Self.cursor))
        #expect(poll.timeout == .milliseconds(500))
        #expect(poll.limit == 0)
        guard
            case .longPoll(let longest) = try read(["feed": "longpoll", "timeout": "10min", "since": "now"])
                .feed
        else {
            Issue.record("no long-poll")
            return
        }
        #expect(longest.since == .now)
        #expect(longest.timeout == .seconds(600))
    }

    @Test("of a stream is changes, or child events where kinds are named")
    func streams() throws {
        #expect(try RESTCall(head("GET /a.json", Self.accept)).feed == .changes(since: .beginning))
        let resumed = try RESTCall(
            head("GET /a.json?since=k3Jx9a-1", Self.accept, "Last-Event-ID: k3Jx9a-1042"))
        #expect(resumed.feed == .changes(since: .cursor(Self.cursor)))
        let since = try RESTCall(head("GET /a.json?since=k3Jx9a-1042", Self.accept, "Last-Event-ID:"))
        #expect(since.feed == .changes(since: .cursor(Self.cursor)))
        let children = try RESTCall(
            head("GET /a.json?events=child_moved&since=now", "Accept: text/html, text/event-stream;q=1"))
        #expect(children.feed == .childEvents(EventKinds(.childMoved), since: .now))
    }

    static let refused: [KeyValuePairs<String, String>] = [
        ["feed": "longpoll", "events": ""], ["feed": "longpoll", "events": "child_added,,value"],
        ["feed": "longpoll", "events": "child_gone"], ["feed": "longpoll", "since": "1042"],
        ["feed": "longpoll", "since": "k3-"], ["feed": "longpoll", "since": "k3-1-2"],
        ["feed": "longpoll", "since": "k3--1"],
        ["feed": "longpoll", "since": "NOW"], ["feed": "longpoll", "timeout": "11min"],
        ["feed": "longpoll", "timeout": "30"],
        ["feed": "longpoll", "limit": "-1"], ["feed": "longpoll", "limit": ""],
        ["feed": "longpoll", "limit": "many"],
        ["feed": "websocket"],
    ]

    @Test("that cannot be is refused", arguments: refused.indices)
    func refuses(index: Int) {
        #expect(refusal { try read(Self.refused[index]) }?.status == 400)
    }

    @Test("of a stream with a malformed cursor is refused")
    func badCursor() {
        #expect(
            refusal { try RESTCall(head("GET /a.json", Self.accept, "Last-Event-ID: yesterday")) }?.status
                == 400)
        #expect(refusal { try RESTCall(head("HEAD /a.json?feed=longpoll")) }?.status == 400)
    }

    @Test("kinds have the names of the field")
    func kinds() {
        #expect(
            EventKind.allCases.map { "\($0.name)" }.sorted()
                == ["child_added", "child_changed", "child_moved", "child_removed", "value"])
        for kind in EventKind.allCases {
            #expect(EventKind(name: "\(kind.name)") == kind)
            #expect(EventKinds(kind).contains(kind))
        }
        #expect(EventKind(name: "child_gone") == nil)
        #expect(!EventKinds(.value).contains(.childAdded))
    }
}
