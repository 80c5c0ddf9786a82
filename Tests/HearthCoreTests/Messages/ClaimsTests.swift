// Claims keep JSON as it is, and take nothing that two readers could understand differently.
import HearthCore
import HearthJSON
import Testing

@Suite("Claims")
struct ClaimsTests {
    private func claims(_ text: String) throws -> Claims {
        try Claims(reading: Array(text.utf8))
    }

    @Test("are found by name and by index, and nothing is found in what has none")
    func found() throws {
        let claims = try claims(
            #"{"sub": "ann", "level": 3, "firebase": {"identities": {"google.com": ["1", "2"]}}, "a": null}"#)
        #expect(claims.member("sub").text == "ann")
        #expect(claims.member("level") == .leaf(.integer(3)))
        let identities = claims.member("firebase").member("identities").member("google.com")
        #expect(identities.element(1).text == "2")
        #expect(identities.element(2).isNull && identities.element(-1).isNull)
        #expect(claims.member("a").isNull && claims.member("b").member("c").isNull)
        #expect(claims.element(0).isNull && claims.member("level").member("x").isNull)
    }

    @Test("may have any name, and numbers keep their kind")
    func anyName() throws {
        let claims = try claims(#"{"": true, "a.b/$": 1.0, "big": 1e300, "x": [[], {}]}"#)
        #expect(claims.member("") == .leaf(.bool(true)))
        #expect(claims.member("a.b/$") == .leaf(.integer(1)))
        #expect(claims.member("big") == .leaf(.double(1e300)))
        #expect(claims.member("x") == .list([.list([]), .object([:])]))
    }

    @Test(
        "are refused with doubled names, at any level",
        arguments: [#"{"sub":"a","sub":"b"}"#, #"{"a":[{"x":1,"x":1}]}"#, #"{"sub":1,"\u0073ub":2}"#])
    func doubled(text: String) throws {
        do {
            _ = try claims(text)
            Issue.record("taken")
        } catch let error as ClaimsError {
            guard case .doubledName = error else {
                Issue.record("refused as \(error)")
                return
            }
        }
    }

    @Test(
        "are refused if they are no JSON or nested without end",
        arguments: ["", "{", "{} x", "{'a':1}", String(repeating: "[", count: 100_000)])
    func noJSON(text: String) throws {
        #expect(throws: ClaimsError.self) { try claims(text) }
    }

    @Test("of an account are what the rules call auth")
    func account() {
        let auth = Auth(uid: "ann", provider: "password", token: ["admin": .leaf(.bool(true))])
        #expect(auth.uid == "ann")
        #expect(auth.variable.member("token").member("admin") == .leaf(.bool(true)))
        #expect(Auth(variable: ["uid": .leaf(.integer(1))]).uid == nil)
    }
}
