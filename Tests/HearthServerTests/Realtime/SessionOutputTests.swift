// The order in which a session is told what it is owed.
import Testing

@testable import HearthServer

@Suite("What a session is owed")
struct SessionOutputTests {
    private func packet(_ text: String) -> Packet { Packet(Array(text.utf8)) }

    private func released(_ output: inout SessionOutput, durable: Int64) -> [String] {
        var texts: [String] = []
        output.release(durable: durable) { texts.append(String(decoding: $0.text, as: UTF8.self)) }
        return texts
    }

    @Test("is told in the order of commits, of one commit to windows first, and then the replies")
    func order() {
        var output = SessionOutput()
        output.push(packet("plain 5"), of: 5, isTagged: false)
        output.push(packet("plain 6"), of: 6, isTagged: false)
        output.push(packet("window 5"), of: 5, isTagged: true)
        output.reply(packet("ok 5"), until: 5)
        output.reply(packet("ok 7"), until: 7)
        #expect(released(&output, durable: 6) == ["window 5", "plain 5", "ok 5", "plain 6"])
        #expect(released(&output, durable: 7) == ["ok 7"])
        #expect(output.byteCount == 0)
    }

    @Test("is not told what is newer than a value that a worker still prepares")
    func preparing() {
        var output = SessionOutput()
        output.reply(packet("ok 4"), until: 4)
        output.beginPreparing(5)
        output.push(packet("window 5"), of: 5, isTagged: true)
        output.push(packet("window 6"), of: 6, isTagged: true)
        output.reply(packet("cancel 7"), until: 7)
        #expect(released(&output, durable: 7) == ["ok 4", "window 5"])
        output.endPreparing()
        output.reply(packet("value of 5"), until: 5)
        output.reply(packet("ok 5"), until: 5)
        output.resumeReplies()
        #expect(released(&output, durable: 7) == ["value of 5", "ok 5", "window 6", "cancel 7"])
    }
}
