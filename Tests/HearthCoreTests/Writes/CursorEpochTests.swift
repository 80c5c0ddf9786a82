// Cursors as clients send them back.
import HearthCore
import HearthTesting
import Testing

@Suite("A cursor of an epoch")
struct CursorEpochTests {
    @Test("is read alike in whole and for one epoch, whatever a client sends")
    func revisions() {
        var random = SeededRandom(for: "cursors")
        let parts = [
            "k3Jx9a", "k3Jx9b", "k", "0123456789abcdef", "", "-", "-", "1042", "0", "007", ".e3", ".s3", " ",
            "é",
            "9223372036854775807", "9223372036854775808", "x",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...4, using: &random))
                .map { _ in parts[Int.random(in: parts.indices, using: &random)] }.joined()
            for epoch in ["k3Jx9a", "k", "0123456789abcdef"] {
                let found = Array(text.utf8).withUnsafeBytes { Cursor.revision($0, in: epoch) }
                let cursor = Cursor(text)
                let isOfEpoch = cursor?.epoch == epoch && cursor?.isWhole == true
                #expect(found == (isOfEpoch ? cursor?.revision : nil), "\(text) in \(epoch)")
            }
        }
        let cursor = Array("k3Jx9a-1042".utf8).withUnsafeBytes { Cursor.revision($0, in: "k3Jx9a") }
        #expect(cursor == 1_042)
    }
}
