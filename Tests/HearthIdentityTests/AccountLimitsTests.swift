// How often accounts may be tried.
import HearthIdentity
import Testing

@Suite("The limits on trying accounts")
struct AccountLimitsTests {
    private static let now = AccountStage.start
    private static let minute: Int64 = 60_000

    private func call(
        _ operation: AccountOperation, _ fields: [(String, String)] = [], from visitor: String = "192.0.2.1",
        admin: Bool = false
    ) -> AccountCall {
        AccountCall(
            operation, AccountBody(form: fields.map { (name: $0.0, value: $0.1) }), isAdministrator: admin,
            from: .init(visitor: visitor))
    }

    private func login(_ email: String, from visitor: String = "192.0.2.1") -> AccountCall {
        call(.signInWithPassword, [("email", email), ("password", "x")], from: visitor)
    }

    /// How many calls in a row are taken, of at most `bound`.
    private func count(
        _ limits: inout AccountLimits, at now: Int64 = now, upTo bound: Int = 300,
        _ call: (Int) -> AccountCall
    ) -> Int {
        for index in 0..<bound {
            do throws(AccountRefusal) {
                try limits.admit(call(index), at: now)
            } catch {
                return index
            }
        }
        return bound
    }

    private var wrong: AccountRefusal? {
        get throws {
            var limits = AccountLimits()
            do throws(AccountRefusal) {
                for _ in 0..<9 { try limits.admit(login("x"), at: Self.now) }
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("lock an account after five wrong passwords for 1, 2, 4, 8 and then 15 minutes, from anywhere")
    func lock() throws {
        var limits = AccountLimits()
        var now = Self.now
        #expect(count(&limits) { login("Ann@chat.example", from: "192.0.2.\($0)") } == 5)
        for minutes: Int64 in [1, 2, 4, 8, 15, 15] {
            now += minutes * Self.minute - 1
            #expect(count(&limits, at: now) { _ in login("ann@chat.example", from: "198.51.100.1") } == 0)
            now += 1
            #expect(count(&limits, at: now) { _ in login("ann@chat.example", from: "198.51.100.2") } == 1)
        }
        #expect(
            count(&limits, at: now, upTo: 3) { _ in login("bob@chat.example", from: "198.51.100.3") } == 3)
    }

    @Test("are lifted by the right password, and by a new one")
    func unlock() throws {
        var limits = AccountLimits()
        _ = count(&limits, upTo: 4) { _ in login("ann@chat.example") }
        try limits.admit(login("ann@chat.example"), at: Self.now)
        limits.note(login("ann@chat.example"), nil)
        #expect(count(&limits, upTo: 9) { login("ann@chat.example", from: "\($0)") } == 5)
        limits.unlock("Ann@chat.example")
        #expect(count(&limits, upTo: 9) { login("ann@chat.example", from: "\($0)") } == 5)
    }

    @Test("say after how long to try again, and not whether there is an account")
    func refusal() throws {
        let refusal = try #require(try wrong)
        #expect(refusal.status == 400 && refusal.code == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(refusal.retryAfterSeconds == 60)
    }

    @Test("hold for an address whatever it tries")
    func address() {
        var limits = AccountLimits()
        #expect(count(&limits) { login("user\($0)@chat.example") } == 30)
        #expect(count(&limits, at: Self.now + 10_000) { login("more\($0)@chat.example") } == 1)
        #expect(count(&limits, upTo: 2) { login("user\($0)@chat.example", from: "192.0.2.2") } == 2)
    }

    @Test("bound registrations, anonymous ones, mails, codes and exchanges")
    func others() {
        let email = [("email", "ann@chat.example"), ("password", "x")]
        for (name, expected, make) in [
            ("registrations", 5, { (_: Int) in call(.signUp, email) }),
            ("anonymous", 30, { (_: Int) in call(.signUp) }),
            (
                "mails to one", 3,
                { (_: Int) in call(.sendCode, [("requestType", "PASSWORD_RESET"), ("email", "ann@x")]) }
            ),
            (
                "mails from one", 20,
                { (i: Int) in call(.sendCode, [("requestType", "PASSWORD_RESET"), ("email", "u\(i)@x")]) }
            ),
            ("codes", 30, { (i: Int) in call(.resetPassword, [("oobCode", "\(i)")]) }),
            ("codes on the page", 30, { (i: Int) in call(.actionForm, [("oobCode", "\(i)")]) }),
            ("custom tokens", 60, { (i: Int) in call(.signInWithCustomToken, [("token", "\(i)")]) }),
            ("methods", 60, { (i: Int) in call(.createAuthURI, [("identifier", "\(i)")]) }),
        ] {
            var limits = AccountLimits()
            #expect(count(&limits, make) == expected, "\(name)")
        }
    }

    @Test("are given back for codes that were right")
    func rightCodes() throws {
        var limits = AccountLimits()
        for index in 0..<200 {
            let right = call(.resetPassword, [("oobCode", "\(index)")])
            try limits.admit(right, at: Self.now)
            limits.note(right, nil)
        }
    }

    @Test("never sign anybody out: too many refreshes are told in plain words")
    func sessions() {
        var limits = AccountLimits()
        let refresh = call(.refresh, [("refreshToken", "t")])
        #expect(count(&limits) { _ in refresh } == 120)
        do throws(AccountRefusal) {
            try limits.admit(refresh, at: Self.now)
            Issue.record("the call was taken")
        } catch {
            #expect(error.status == 503 && error.isPlain && error.retryAfterSeconds != nil)
        }
        #expect(count(&limits, upTo: 2) { _ in call(.refresh, [("refreshToken", "u")]) } == 2)
    }

    @Test("do not hold for the administrator")
    func administrator() {
        var limits = AccountLimits()
        let email = [("email", "ann@chat.example"), ("password", "x")]
        #expect(count(&limits) { _ in call(.signUp, email, admin: true) } == 300)
    }

    @Test("take a bounded amount of memory under an attack from everywhere")
    func memory() {
        var limits = AccountLimits()
        for index in 0..<130_000 {
            // Whether one of them is refused does not matter here.
            try? limits.admit(login("user\(index)@chat.example", from: "\(index)"), at: Self.now)
        }
        #expect(limits.trackedCount <= 2 * 100_001)
    }
}
