// Clients made for Firebase, unchanged, against the built program.
import Foundation
import Testing

@Suite("A client made for Firebase")
struct FirebaseClientTests {
    @Test("for administrators, Google's own in Python, works as documented")
    func admin() throws {
        let checks = [
            "sets and reads values", "keeps databases apart", "pushes children in order",
            "updates several places at once", "deletes", "transactions lose no step under contention",
            "a transaction sees a write in between", "a transaction can be given up",
            "rules with indexes are stored", "queries by child", "queries by a deep child",
            "queries by key", "queries by value",
            "a query without index is refused with the line to add", "shallow reads tell keys alone",
            "etags tell whether a value is the same", "set if unchanged sets or tells what is there",
            "listens to puts and patches",
        ]
        try withEmulator { address in
            expectPassed(checks, in: try Script.run("admin.py", [address]))
        }
    }

    @Test("for administrators of accounts, Google's own in Python, works as documented")
    func accounts() throws {
        let checks = [
            "makes and finds users", "changes users", "verifies and revokes tokens",
            "makes custom tokens and links", "imports lists and removes users",
            "signs tokens offline that a server in production form takes",
        ]
        try withEmulator { address in
            try withFolder { folder in
                expectPassed(
                    checks,
                    in: try Script.run("accounts.py", [address, Script.hearth.path, folder.path]))
            }
        }
    }

    @Test("for users, Pyrebase, works as documented")
    func pyrebase() throws {
        let checks = [
            "sets and gets", "pushes", "updates", "removes", "orders and limits", "reads keys alone",
            "sets and removes under a condition", "streams", "streams a window",
        ]
        try withEmulator { address in
            expectPassed(checks, in: try Script.run("pyrebase_client.py", [address]))
        }
    }
}

@Suite("A browser's EventSource")
struct EventSourceTests {
    @Test("misses nothing and hears nothing twice while the server is killed and started again")
    func restarts() throws {
        try withFolder { folder in
            let chromium = try Script.program("chromium")
            let lines = try Script.run("browser.py", [chromium, Script.hearth.path, folder.path])
            expectPassed(["no event is lost and none comes twice"], in: lines)
        }
    }
}
