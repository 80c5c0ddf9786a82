// The addresses of the identity services over HTTP: which there are, who may use them, what all answers have.
import Foundation
import HearthServer
import Testing

@Suite("An account address")
struct AccountRouteTests {
    @Test("is known under the names of every SDK")
    func names() throws {
        try withAccountServer { _, app in
            for target in [
                "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", "/v1/accounts:signUp?key=k",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser?key=k",
            ] {
                #expect(try app.post(target, "{}").text("idToken") != "", "\(target)")
            }
            let header = try app.post("/v1/accounts:signUp", "{}", ["X-Goog-Api-Key: k"])
            #expect(header.reply.status == 200)
            for target in ["/v1/token?key=k", "/securetoken.googleapis.com/v1/token?key=k"] {
                let token = header.text("refreshToken")
                let json = #"{"grantType":"refresh_token","refreshToken":"\#(token)"}"#
                #expect(try app.post(target, json).text("user_id") == header.text("localId"))
            }
            #expect(try app.refresh(header.text("refreshToken")).text("expires_in") == "3600")
        }
    }

    @Test("answers in the envelope of the contract, never to be cached, for every origin")
    func envelope() throws {
        try withAccountServer { _, app in
            let answer = try app.call("accounts:lookup", "{}", ["Origin: https://app.example"])
            #expect(
                answer.reply.body
                    == #"{"error":{"code":400,"message":"MISSING_ID_TOKEN","errors":"#
                    + #"[{"message":"MISSING_ID_TOKEN","reason":"invalid","domain":"global"}]}}"#)
            #expect(answer.reply.headers["cache-control"] == "no-store")
            #expect(answer.reply.headers["access-control-allow-origin"] == "*")
            #expect(answer.reply.headers["content-type"] == "application/json; charset=utf-8")
            let preflight = try app.client.ask(
                "OPTIONS", "/identitytoolkit.googleapis.com/v1/accounts:lookup?key=k",
                [
                    "Origin: https://app.example", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: content-type,x-client-version",
                    "Access-Control-Request-Private-Network: true",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.headers["access-control-allow-headers"] == "content-type,x-client-version")
            #expect(preflight.headers["access-control-allow-private-network"] == "true")
        }
    }

    @Test("wants a key, or the administrator")
    func keys() throws {
        try withAccountServer { server, app in
            let bare = try app.post("/v1/accounts:signUp", "{}")
            #expect(bare.reply.status == 403)
            #expect((bare.fields["error"] as? [String: Any])?["status"] as? String == "PERMISSION_DENIED")
            let path = "/v1/projects/fire3chat/accounts:lookup"
            #expect(try app.post(path, "{}", server.administrator).reply.status == 200)
            for token in ["owner", "ya29.x", "x", try app.call("accounts:signUp").text("idToken")] {
                let answer = try app.post(path, "{}", ["Authorization: Bearer \(token)"])
                #expect(answer.reply.status == 401)
            }
            let other = try app.post(path, "{}", ["Authorization: Basic x"])
            #expect(other.reply.status == 403, "another scheme counts as none")
            let batch = try app.get("/v1/projects/fire3chat/accounts:batchGet?key=k")
            #expect(batch.reply.status == 403)
        }
        try withAccountServer({ $0.accounts.allowedKeys = ["one"] }) { _, app in
            #expect(try app.post("/v1/accounts:signUp?key=one", "{}").reply.status == 200)
            let message = try app.post("/v1/accounts:signUp?key=two", "{}").message
            #expect(message == "API key not valid. Please pass a valid API key.")
        }
    }

    @Test("that there is not, or not with this method, is told so")
    func unknown() throws {
        try withAccountServer { (_, app) throws in
            for target in [
                "/v1/accounts:nothing?key=k", "/v1/accounts?key=k", "/emulator/v1/projects/p/oobCodes",
            ] {
                #expect(try app.get(target).reply.status == 404)
            }
            #expect(try app.get("/v1/accounts:signUp?key=k").reply.status == 405)
            for target in ["/v1/accounts:signInWithIdp?key=k", "/v2/accounts/mfaEnrollment:start?key=k"] {
                #expect(try app.post(target, "{}").message == "OPERATION_NOT_ALLOWED")
            }
            for target in ["/emulator/auth/iframe", "/emulator/auth/handler"] {
                #expect(try app.get(target).reply.status == 404)
            }
        }
    }

    @Test("tells SDKs what they ask at their start")
    func settings() throws {
        try withAccountServer({ $0.accounts.authorizedDomains = ["chat.example"] }) { _, app in
            let project = try app.get("/identitytoolkit.googleapis.com/v1/projects?key=k")
            #expect(project.text("projectId") == "fire3chat")
            #expect((project.fields["authorizedDomains"] as? [String])?.last == "chat.example")
            let policy = try app.get("/identitytoolkit.googleapis.com/v2/passwordPolicy?key=k")
            #expect(policy.fields["schemaVersion"] as? Int == 1)
            let recaptcha = try app.get("/v2/recaptchaConfig?key=k&clientType=CLIENT_TYPE_WEB")
            #expect(recaptcha.text("recaptchaKey") == "")
            #expect(try app.get("/v1/recaptchaParams?key=k").reply.status == 501)
        }
    }

    @Test("takes bodies of a bounded size, whatever their type says")
    func bodies() throws {
        try withAccountServer { server, app in
            let large = #"{"displayName":"\#(String(repeating: "x", count: 70_000))"}"#
            app.client.begin("POST", "/v1/accounts:signUp?key=k", body: large)
            #expect(try app.client.read().status == 413)
            let other = try AccountClient(server)
            let wrong = try other.call(
                "accounts:signUp", "{", ["Content-Type: application/x-www-form-urlencoded"])
            #expect(wrong.message?.hasPrefix("Invalid JSON payload received.") == true)
            #expect(try other.call("accounts:signUp", "").reply.status == 200)
        }
    }

    @Test("does not exist where the tokens of the project come from elsewhere")
    func elsewhere() throws {
        try withJudgedServer(nil) { judged in
            let app = try AccountClient(judged.server)
            let answer = try app.call("accounts:signUp")
            #expect(answer.reply.status == 501)
            #expect(answer.message?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true)
        }
    }

    @Test("is open for test suites with an emulator, and for nobody else's pages")
    func emulator() throws {
        try withAccountServer({ $0.isEmulator = true }) { _, app in
            #expect(try app.get("/").reply.body == #"{"authEmulator":{"ready":true}}"#)
            let ann = try app.signUp("ann@chat.example")
            #expect(ann.text("idToken").hasSuffix("."))
            let path = "/identitytoolkit.googleapis.com/v1/projects/p/accounts:lookup"
            for token in ["owner", "OWNER", "ya29.x"] {
                let body = #"{"email":["ann@chat.example"]}"#
                let answer = try app.post(path, body, ["Authorization: Bearer \(token)"])
                #expect((answer.fields["users"] as? [Any])?.count == 1)
            }
            #expect(try app.post(path, "{}", ["Authorization: Bearer x"]).reply.status == 401)
            try app.call(
                "accounts:sendOobCode", #"{"requestType":1,"email":"ann@chat.example"}"#)
            let codes = try app.get("/emulator/v1/projects/p/oobCodes").fields["oobCodes"] as? [[String: Any]]
            #expect(codes?.first?["requestType"] as? String == "PASSWORD_RESET")
            #expect(try app.client.ask("DELETE", "/emulator/v1/projects/p/accounts").status == 200)
            #expect(try app.signIn("ann@chat.example").message == "EMAIL_NOT_FOUND")
            let config = try app.client.ask(
                "PATCH", "/emulator/v1/projects/p/config", ["Content-Type: application/json"],
                body: #"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#)
            #expect(config.body.contains("true"))
            #expect(try app.signIn("ann@chat.example").message == "INVALID_LOGIN_CREDENTIALS")
            let foreign = try app.call("accounts:signUp", "{}", ["Origin: https://evil.example"])
            #expect(foreign.reply.status == 403)
        }
    }
}
