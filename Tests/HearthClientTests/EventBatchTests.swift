// How the answers of a stream are read.

import Testing

@testable import HearthClient

@Suite("A batch of events")
struct EventBatchTests {
    @Test("keeps the texts of the server as they are")
    func texts() throws {
        let event =
            #"{"event":"child_added","key":"-N\"1","previous":null,"data":{"a":[1.0,"ä"]},"cursor":"k-7"}"#
        let batch = try EventBatch(parsing: Array(#"{"cursor":"k-7","events":[\#(event)]}"#.utf8))
        #expect(batch.cursor == "k-7" && !batch.isResync)
        let first = try #require(batch.events.first)
        #expect(first.text == event && first.data == #"{"a":[1.0,"ä"]}"# && first.cursor == "k-7")
        #expect(first.kind == "child_added" && first.key == "-N\"1" && first.previous == nil)
    }

    @Test(
        "has data of every kind",
        arguments: ["null", "true", "-1.5e3", "\"x\"", "{}", "[]", "[[],{}]", "{\"data\":{\"key\":\"z\"}}"])
    func data(text: String) throws {
        let event = "{\"event\":\"value\",\"data\":\(text),\"cursor\":\"k-1\",\"other\":[{}]}"
        let batch = try EventBatch(parsing: Array("{\"events\":[\(event),\(event)],\"cursor\":\"k-1\"}".utf8))
        #expect(batch.events.map(\.data) == [text, text])
        #expect(batch.events.allSatisfy { $0.key == nil && $0.text == event })
    }

    @Test("is on one line, however the server laid it out")
    func oneLine() throws {
        let text =
            "{\n \"cursor\" : \"k-1\",\r\n \"resync\":true, \"events\":[\n{\"event\":\n\"value\",\"data\":"
            + "\n[1,\n2]\n,\"cursor\":\"k-1\"}\n]}\n"
        let batch = try EventBatch(parsing: Array(text.utf8))
        #expect(batch.isResync)
        #expect(batch.events.map(\.data) == ["[1, 2]"])
        #expect(batch.events.allSatisfy { !$0.text.contains("\n") })
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "", "[]", "{}", "null", #"{"cursor":"k-1"}"#, #"{"events":[]}"#, #"{"cursor":5,"events":[]}"#,
            #"{"cursor":"k-1","events":[{"event":"value"}]}"#, #"{"cursor":"k-1","events":[5]}"#,
            #"{"cursor":"k-1","events":[]"#, #"{"cursor":"k-1","events":[]}}"#,
        ])
    func refused(text: String) {
        #expect(throws: EventBatchFault.self) { try EventBatch(parsing: Array(text.utf8)) }
    }
}
