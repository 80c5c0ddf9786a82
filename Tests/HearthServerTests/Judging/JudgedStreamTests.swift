// A stream goes on only as long as its reader may read, and never tells what he could not have seen.
import HearthServer
import Testing

@Suite("A stream under rules")
struct JudgedStreamTests {
    private static let open = #"{"rules":{".read":true}}"#
    private static let members = """
        {"rules":{
          "rooms":{"$room":{".read":"root.child('members').child($room).child(auth.uid).val() == true"}},
          "late":{".read":"now < root.child('until').val()"}}}
        """

    /// What a stream may be asked for.
    private static let forms = ["", "?events=child_added,child_changed", "?feed=longpoll&since=now"]

    private func open(_ judged: JudgedServer, _ target: String) throws -> TestClient {
        let client = try judged.client()
        guard !target.contains("longpoll") else {
            client.begin("GET", target)
            // The answer to a later request on another connection of the only loop comes after this one's
            // turn.
            _ = try judged.client().ask("GET", "/.health")
            return client
        }
        try client.openStream(target)
        if !target.contains("events=") { _ = try client.readEvent() }
        return client
    }

    private func expectEnd(
        _ client: TestClient, _ target: String, event: String = "cancel", data: String = "null",
        error: String = "Permission denied"
    ) throws {
        if target.contains("longpoll") {
            let reply = try client.read()
            #expect(reply.status == 401)
            #expect(reply.body == "{\"error\":\"\(error)\"}")
            #expect(reply.headers["hearth-cursor"] == nil)
        } else {
            let last = try client.readEvent()
            #expect(last == StreamEvent(event: event, data: data, id: nil))
            #expect(client.readToEnd() == "")
        }
    }

    @Test("ends when the rules no longer allow it", arguments: forms)
    func rulesChange(form: String) throws {
        try withJudgedServer(Self.open) { judged in
            let target = "/rooms/lobby.json" + form
            let stream = try open(judged, target)
            try judged.store(#"{"rules":{"rooms":{"other":{".read":true}}}}"#)
            try expectEnd(stream, target)
            try judged.put("/rooms/lobby/a.json", "1")
        }
    }

    @Test("that was opened while there were no rules ends when some come", arguments: forms)
    func firstRules(form: String) throws {
        try withJudgedServer(nil) { judged in
            let target = "/rooms/lobby.json" + form
            let stream = try open(judged, target)
            try judged.store(#"{"rules":{}}"#)
            try expectEnd(stream, target)
        }
    }

    @Test("ends when data changes on which the permission rests", arguments: forms)
    func dataChange(form: String) throws {
        try withJudgedServer(Self.members) { judged in
            try judged.put("/members/lobby.json", #"{"ann":true,"bob":true}"#)
            let question = form.isEmpty ? "?" : form + "&"
            let target = "/rooms/lobby.json\(question)auth="
            let ann = try open(judged, target + UserToken.of("ann"))
            let bob = try open(judged, target + UserToken.of("bob"))
            try judged.put("/members/lobby/carl.json", "true")
            try judged.put("/members.json", #"{"lobby/ann":false,"lobby/bob":true}"#, "PATCH")
            try expectEnd(ann, target)
            try judged.put("/rooms/lobby/x.json", "1")
            if form.contains("longpoll") {
                #expect(try bob.read().body.contains("child_added"))
            } else {
                #expect(try bob.readEvent().data.contains("1"))
            }
        }
    }

    @Test("tells nothing of the write that ends it", arguments: forms)
    func lastWrite(form: String) throws {
        try withJudgedServer(Self.members) { judged in
            try judged.put("/members/lobby/ann.json", "true")
            let question = form.isEmpty ? "?" : form + "&"
            let target = "/rooms/lobby.json\(question)auth=\(UserToken.of("ann"))"
            let stream = try open(judged, target)
            try judged.put("/.json", #"{"members/lobby/ann":null,"rooms/lobby/x":1}"#, "PATCH")
            try judged.put("/members/lobby/ann.json", "true")
            try expectEnd(stream, target)
        }
    }

    @Test("ends with its token", arguments: forms)
    func expiry(form: String) throws {
        try withJudgedServer(#"{"rules":{".read":"auth != null"}}"#) { judged in
            let question = form.isEmpty ? "?" : form + "&"
            let target =
                "/rooms/lobby.json\(question)auth=\(UserToken.of("ann", lifetime: 100))"
                + (form.contains("longpoll") ? "&timeout=10min" : "")
            let stream = try open(judged, target)
            judged.clock.putForward(seconds: 200)
            // Whatever wakes the loop: it notices that time has passed.
            _ = try judged.client().ask("GET", "/.health")
            try expectEnd(
                stream, target, event: "auth_revoked", data: "\"credential is no longer valid\"",
                error: "Auth token is expired")
            let late = try judged.client().ask("GET", target)
            #expect(late.status == 401)
            #expect(late.body == #"{"error":"Auth token is expired"}"#)
        }
    }

    @Test("ends by itself when its token's time is up")
    func realExpiry() throws {
        try withJudgedServer(#"{"rules":{".read":"auth != null"}}"#) { judged in
            // Over since 29 of the 30 seconds by which clocks may differ.
            let target = "/rooms.json?auth=\(UserToken.of("ann", lifetime: -29))"
            let stream = try open(judged, target)
            try expectEnd(
                stream, target, event: "auth_revoked", data: "\"credential is no longer valid\"")
        }
    }

    @Test("under a rule about time is judged before each event and each sign of life", arguments: forms)
    func time(form: String) throws {
        try withJudgedServer(Self.members) { judged in
            try judged.put("/until.json", "\(WallClock().milliseconds + 100_000)")
            let target = "/late.json" + form
            let stream = try open(judged, target)
            if !form.contains("longpoll") {
                try judged.put("/late/a.json", "1")
                #expect(try stream.readEvent().data.contains("1"))
            }
            judged.clock.putForward(seconds: 120)
            try judged.put("/late/b.json", "2")
            let last = try form.contains("longpoll") ? stream.read().body : stream.readEvent().event
            #expect(last == (form.contains("longpoll") ? #"{"error":"Permission denied"}"# : "cancel"))
        }
    }

    @Test("that comes back after the permission changed begins anew, and not with the past")
    func resync() throws {
        try withJudgedServer(Self.members) { judged in
            try judged.put("/members/lobby/ann.json", "true")
            let token = UserToken.of("ann")
            let first = try judged.put("/rooms/lobby.json", #"{"a":"old"}"#)
            let cursor = try #require(first.headers["hearth-cursor"])
            let target = "/rooms/lobby.json?since=\(cursor)&auth=\(token)"
            let poll = target + "&feed=longpoll&timeout=0s"
            try judged.put("/rooms/lobby/b.json", "1")
            let replayed = try judged.client().ask("GET", poll)
            #expect(!replayed.body.contains("resync"))
            #expect(replayed.body.contains(#""key":"b""#))

            try judged.put("/members/lobby/ann.json", "false")
            try judged.put("/rooms/lobby/hidden.json", "\"while ann was out\"")
            try judged.put("/rooms/lobby/hidden.json", "null")
            try judged.put("/members/lobby/ann.json", "true")
            let resync = try judged.client().ask("GET", poll)
            #expect(resync.body.contains(#""resync":true"#))
            #expect(!resync.body.contains("hidden"))
            let stream = try judged.client()
            try stream.openStream(target)
            #expect(try stream.readEvent().data == #"{"path":"/","data":{"a":"old","b":1}}"#)
            let children = try judged.client()
            try children.openStream(target + "&events=child_added")
            #expect(try children.readEvent().event == "resync")

            let present = try judged.client().ask("GET", "/rooms/lobby.json?auth=\(token)")
            let newest = try #require(present.headers["hearth-cursor"])
            try judged.store(Self.members + " ")
            let after = "/rooms/lobby.json?since=\(newest)&auth=\(token)&feed=longpoll&timeout=0s"
            #expect(try judged.client().ask("GET", after).body.contains(#""resync":true"#))
        }
    }
}
