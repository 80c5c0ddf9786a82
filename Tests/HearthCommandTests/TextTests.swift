// How quantities, places and events are spelled.

import HearthClient
import Testing

@testable import hearth

@Suite("A text for people")
struct TextTests {
    @Test(
        "spells sizes with three digits",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_449, "1.4 kB"),
            (9_949, "9.9 kB"), (9_951, "10 kB"), (103_000_000, "103 MB"), (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (5_000_000_000, "5.0 GB"), (Int.max, "9.2 EB"),
        ])
    func sizes(bytes: Int, text: String) {
        #expect(Quantities.size(bytes) == text)
    }

    @Test(
        "spells times and counts",
        arguments: [(0, "0 s"), (59, "59 s"), (125, "2 min 5 s"), (3_783, "1 h 3 min")])
    func times(seconds: Int, text: String) {
        #expect(Quantities.time(seconds: seconds) == text)
        #expect(Quantities.count(1, "connection") == "1 connection")
        #expect(Quantities.count(1_016, "connection") == "1,016 connections")
        #expect(Quantities.grouped(1_048_576) == "1,048,576" && Quantities.grouped(-999) == "-999")
    }

    @Test("tells how far a transfer is")
    func progress() {
        let half = Progress.line("import", done: 52_000_000, total: 104_000_000, elapsed: .seconds(2))
        #expect(half == "import 52 MB of 104 MB (50 %), 26 MB/s, 2 s left")
        let open = Progress.line("export", done: 3_000_000, total: nil, elapsed: .seconds(3))
        #expect(open == "export 3.0 MB, 1.0 MB/s")
        let start = Progress.line("import", done: 0, total: 0, elapsed: .zero)
        #expect(start == "import 0 bytes")
    }

    @Test(
        "finds the place in a file that a server names",
        arguments: [
            ("3:14: expected a value", 3, 14, "expected a value"),
            ("line 3, column 14: expected ':'", 3, 14, "expected ':'"),
            ("Invalid data; couldn't parse JSON. line 12, column 1: the text: ends", 12, 1, "the text: ends"),
            ("the key is too long at line 7, column 2.", 7, 2, "the key is too long at"),
        ])
    func filePlace(reason: String, line: Int, column: Int, rest: String) throws {
        let place = try #require(FilePlace(beginning: reason))
        #expect(place.line == line && place.column == column && place.rest == rest)
    }

    @Test(
        "finds no place where none is named",
        arguments: ["", "Permission denied", "a:b: c", "line up, column 3"])
    func noFilePlace(reason: String) {
        #expect(FilePlace(beginning: reason) == nil)
    }

    @Test(
        "of a bound is JSON where it can be",
        arguments: [
            ("5", false, "5"), ("-1.5e3", false, "-1.5e3"), ("true", false, "true"), ("null", false, "null"),
            ("\"5\"", false, "\"5\""), ("abc", false, "\"abc\""), ("007", false, "\"007\""),
            ("", false, "\"\""),
            ("{}", false, "\"{}\""), ("5 6", false, "\"5 6\""), ("5", true, "\"5\""),
            ("\"5\"", true, "\"5\""),
            ("say \"hi\"", false, "\"say \\\"hi\\\"\""),
        ])
    func bounds(text: String, isKey: Bool, json: String) {
        #expect(QueryOptions.bound(text, isKey: isKey) == json)
    }

    @Test("shows an event on one line, without anything that steers a terminal")
    func events() throws {
        let lines = try [
            (
                #"{"event":"child_added","key":"-N1","previous":null,"data":{"a":1},"cursor":"k-1"}"#,
                "added    -N1 {\"a\":1}"
            ),
            (
                #"{"event":"child_moved","key":"-N1","previous":"-N0","data":5,"cursor":"k-1"}"#,
                "moved    -N1 behind -N0 5"
            ),
            (
                #"{"event":"child_moved","key":"-N1","previous":null,"data":5,"cursor":"k-1"}"#,
                "moved    -N1 to the front 5"
            ),
            (#"{"event":"value","data":null,"cursor":"k-1"}"#, "value    null"),
        ].map { (try event($0.0), $0.1) }
        for (event, line) in lines { #expect(EventOutput.line(event, inColor: false) == line) }
        let evil = try event(
            "{\"event\":\"child_added\",\"key\":\"\u{9b}2J\",\"data\":\"\u{7f}\",\"cursor\":\"k-1\"}")
        let shown = EventOutput.line(evil, inColor: true)
        #expect(shown == "\u{1b}[32madded   \u{1b}[0m \u{fffd}2J \"\u{fffd}\"")
    }

    private func event(_ json: String) throws -> StreamEvent {
        let server = ScriptedEvent(json)
        return try server.read()
    }
}
