// Dates as HTTP writes them, compared with another implementation.

import Foundation
import HearthWire
import Testing

@Suite("An HTTP date")
struct HTTPDateTests {
    static func text(_ seconds: Int) -> String {
        var output: [UInt8] = []
        HTTPDate.append(unixSeconds: seconds, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "is written in the fixed form",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func fixed(seconds: Int, expected: String) {
        #expect(Self.text(seconds) == expected)
    }

    @Test("agrees with the calendar of another implementation")
    func calendar() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for step in 0..<2_000 {
            let seconds = step * 4_111_111 + 59
            #expect(
                Self.text(seconds) == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
        }
    }
}
