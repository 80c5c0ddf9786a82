// Clients over TLS, with an authority of the test's own, against the built program.
import Foundation
import Testing

@Suite("A client that speaks TLS")
struct SecureClientTests {
    @Test("is served whatever it is: curl, Python, the command, a browser")
    func clients() throws {
        let checks = [
            "curl speaks both versions", "curl refuses an authority it does not know",
            "plain http is told what to do", "sessions go on by tickets", "old versions are refused",
            "the protocol is agreed upon", "a stream tells events", "the command asks over tls",
            "a browser hears events", "a new certificate is shown without a restart",
        ]
        try withFolder { folder in
            let chromium = try Script.program("chromium")
            let lines = try Script.run("secure.py", [chromium, Script.hearth.path, folder.path])
            expectPassed(checks, in: lines)
        }
    }
}
