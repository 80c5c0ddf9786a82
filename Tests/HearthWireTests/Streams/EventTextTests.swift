// Envelopes of events, read back by the client's parser.

import HearthCore
import HearthWire
import Testing

@Suite("The text of an event")
struct EventTextTests {
    static let cursor = Cursor(epoch: "k3Jx9a", revision: 1042)

    static func text(_ json: String, _ write: (UnsafeRawBufferPointer, inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        Array(json.utf8).withUnsafeBytes { write($0, &output) }
        return String(decoding: output, as: UTF8.self)
    }

    @Test("of a change names the path and the cursor")
    func change() throws {
        let path = try Path("/topic/say \"hi\"")
        #expect(
            Self.text("\"bye\"") { SSEText.append(.put, at: path, json: $0, cursor: Self.cursor, to: &$1) }
                == "event: put\nid: k3Jx9a-1042\n"
                + "data: {\"path\":\"/topic/say \\\"hi\\\"\",\"data\":\"bye\"}\n\n"
        )
        #expect(
            Self.text("{\"a\":null}") {
                SSEText.append(.patch, at: .root, json: $0, cursor: Self.cursor, to: &$1)
            }
                == "event: patch\nid: k3Jx9a-1042\ndata: {\"path\":\"/\",\"data\":{\"a\":null}}\n\n")
    }

    @Test("of a child is the same object in a stream and in a poll")
    func child() throws {
        let key = try Key("-Nb3")
        let previous = try Key("-Nb2")
        let object = Self.text("{\"message\":\"hi\"}") { json, output in
            EventText.append(
                .childAdded, of: key, after: previous, json: json, cursor: Self.cursor, to: &output)
        }
        #expect(
            object
                == "{\"event\":\"child_added\",\"key\":\"-Nb3\",\"previous\":\"-Nb2\","
                + "\"data\":{\"message\":\"hi\"},"
                + "\"cursor\":\"k3Jx9a-1042\"}")
        #expect(
            Self.text(object) { SSEText.append(.childAdded, object: $0, cursor: Self.cursor, to: &$1) }
                == "event: child_added\nid: k3Jx9a-1042\ndata: \(object)\n\n")
        let first = Self.text("1") { json, output in
            EventText.append(.childRemoved, of: key, after: nil, json: json, cursor: Self.cursor, to: &output)
        }
        #expect(
            first
                == "{\"event\":\"child_removed\",\"key\":\"-Nb3\",\"previous\":null,"
                + "\"data\":1,\"cursor\":\"k3Jx9a-1042\"}"
        )
        #expect(
            Self.text("null") { EventText.appendValue(json: $0, cursor: Self.cursor, to: &$1) }
                == "{\"event\":\"value\",\"data\":null,\"cursor\":\"k3Jx9a-1042\"}")
    }

    @Test("of a poll has its events between start and end")
    func poll() {
        var output: [UInt8] = []
        LongPollText.appendStart(cursor: Self.cursor, isResync: false, to: &output)
        LongPollText.appendEnd(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "{\"cursor\":\"k3Jx9a-1042\",\"events\":[]}")
        output = []
        LongPollText.appendStart(cursor: Self.cursor, isResync: true, to: &output)
        output += Array("{}".utf8) + [LongPollText.separator] + Array("{}".utf8)
        LongPollText.appendEnd(to: &output)
        #expect(
            String(decoding: output, as: UTF8.self)
                == "{\"cursor\":\"k3Jx9a-1042\",\"resync\":true,\"events\":[{},{}]}")
    }

    @Test("is read back by the client's parser, cursors included")
    func roundTrip() throws {
        var output = SSEText.start
        Array("[1]".utf8).withUnsafeBytes {
            SSEText.append(.put, at: .root, json: $0, cursor: Self.cursor, to: &output)
        }
        SSEText.appendKeepAlive(cursor: Cursor(epoch: "k3Jx9a", revision: 1043), to: &output)
        SSEText.appendResync(cursor: Self.cursor, to: &output)
        output += SSEText.cancel + SSEText.authRevoked
        var parser = SSEParser()
        let events = try output.withUnsafeBytes { try parser.events(in: $0) }
        #expect(parser.retryMilliseconds == 1000)
        #expect(
            events.map { "\($0.name) \($0.lastID) \(String(decoding: $0.data, as: UTF8.self))" } == [
                "put k3Jx9a-1042 {\"path\":\"/\",\"data\":[1]}", "keep-alive k3Jx9a-1043 null",
                "resync k3Jx9a-1042.s0 {\"cursor\":\"k3Jx9a-1042\"}", "cancel k3Jx9a-1042.s0 null",
                "auth_revoked k3Jx9a-1042.s0 \"credential is no longer valid\"",
            ])
    }
}
