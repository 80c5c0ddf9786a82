// What the cases cannot show: bounds, claims, queries, read sets, files, and the fields of a verdict.
import HearthCore
import HearthRules
import Testing

private func ruleSet(_ text: String) throws -> RuleSet {
    try RuleSet(reading: Array(text.utf8))
}

private func node(_ json: String) throws -> Node {
    try DraftReader.draft(Array(json.utf8)).node
}

@Suite("A verdict")
struct JudgingTests {
    private let chat = """
        {"rules": {"rooms": {"$room": {
          ".read": "root.child('members').child($room).child(auth.uid).exists()",
          ".write": "auth != null",
          "messages": {"$message": {
            ".validate": "newData.hasChildren(['text', 'time']) && newData.child('time').val() == now",
            "text": {".validate": "newData.val().length <= 10"},
            "$other": {".validate": "$other == 'time'"}
          }}
        }}}}
        """
    private let ann = Auth(uid: "ann", provider: "password", token: ["level": .leaf(.integer(3))])

    private func context(_ json: String = "null", _ auth: Auth? = nil) throws -> JudgingContext {
        JudgingContext(auth: auth, now: 1_000, root: try node(json), records: [.reads, .evaluations])
    }

    private func isTrue(_ expression: String, _ json: String = "null", auth: Auth? = nil) throws -> Bool {
        let rules = try ruleSet("{\"rules\":{\"place\":{\".read\":\"\(expression)\"}}}")
        return rules.judgeRead(at: try Path("/place"), in: try context(json, auth)).isAllowed
    }

    @Test("of a read tells what it looked at, and that again only when that changes")
    func reads() throws {
        let rules = try ruleSet(chat)
        let context = try context(#"{"members": {"lobby": {"ann": true}}}"#, ann)
        let verdict = rules.judgeRead(at: try Path("/rooms/lobby/messages"), in: context)
        #expect(verdict.isAllowed)
        #expect(verdict.reads.paths == [try Path("/members/lobby/ann")])
        #expect(!verdict.reads.usesNow)
        #expect(verdict.reads.mayBeTouched(by: [.put(try Path("/members/lobby"), .empty)]))
        #expect(verdict.reads.mayBeTouched(by: [.put(try Path("/members/lobby/ann/x"), .empty)]))
        #expect(!verdict.reads.mayBeTouched(by: [.put(try Path("/members/lobby/bob"), .empty)]))
        let left = context.root.applying([.put(try Path("/members/lobby/ann"), .empty)])
        #expect(verdict.reads.differs(from: context.root, to: left))
        let joined = context.root.applying([.put(try Path("/members/lobby/bob"), Node(.bool(true)))])
        #expect(!verdict.reads.differs(from: context.root, to: joined))
    }

    @Test("notes the use of the clock, and keeps nothing unless it is asked to")
    func clock() throws {
        let rules = try ruleSet(#"{"rules": {".read": "data.child('until').val() > now"}}"#)
        var context = try context(#"{"until": 5000}"#)
        #expect(rules.judgeRead(at: .root, in: context).reads.usesNow)
        context.records = []
        let verdict = rules.judgeRead(at: .root, in: context)
        #expect(verdict.isAllowed && verdict.reads.paths.isEmpty && verdict.evaluations.isEmpty)
        #expect(ReadSet().isEmpty)
        #expect(!rules.judgeRead(at: .root, in: try self.context("{\"until\":5000}")).reads.isEmpty)
    }

    @Test("names the rule that stood in the way, the place, and why it failed")
    func denials() throws {
        let rules = try ruleSet(chat)
        let none = rules.judgeRead(at: try Path("/users"), in: try context())
        #expect(none.denial?.path == (try Path("/users")))
        #expect(none.denial?.rule == nil && none.denial?.failure == nil)
        let lobby = try Path("/rooms/lobby")
        let failed = rules.judgeRead(at: lobby, in: try context())
        #expect(failed.denial?.rule?.place == "/rooms/$room")
        #expect(failed.denial?.failure == "child() needs a string, not null")
        let message = try Path("/rooms/lobby/messages/m1")
        let edits = [Edit.put(message, try node(#"{"text": "longer than ten", "time": 1000}"#))]
        let context = try context("null", ann)
        let refused = rules.judgeWrite(edits, leadingTo: context.root.applying(edits), in: context)
        #expect(refused.denial?.path == (try Path("/rooms/lobby/messages/m1/text")))
        #expect(refused.denial?.rule?.kind == .validate)
        #expect(refused.denial?.failure == nil)
        #expect(refused.evaluations.map(\.rule) == [1, 2, 3])
        #expect(refused.evaluations.last?.outcome == .unsatisfied)
    }

    @Test("is counted by the rules that led to it where that is asked for, an explanation never")
    func counts() throws {
        let rules = try ruleSet(chat)
        let lobby = try Path("/rooms/lobby")
        var context = try context(#"{"members": {"lobby": {"ann": true}}}"#, ann)
        #expect(rules.judgeRead(at: lobby, in: context).isAllowed)
        #expect(rules.counts.allSatisfy { $0.satisfied + $0.unsatisfied + $0.failed == 0 })
        context.records = .counts
        #expect(rules.judgeRead(at: lobby, in: context).isAllowed)
        _ = rules.explainRead(at: lobby, in: context)
        context.root = .empty
        #expect(!rules.judgeRead(at: lobby, in: context).isAllowed)
        context.auth = nil
        #expect(!rules.judgeRead(at: lobby, in: context).isAllowed)
        #expect(rules.counts.count == rules.references.count)
        let first = try #require(rules.counts.first)
        #expect((first.satisfied, first.unsatisfied, first.failed) == (1, 1, 1))
        #expect(rules.counts.dropFirst().allSatisfy { $0.satisfied + $0.unsatisfied + $0.failed == 0 })
    }

    @Test("of a write takes the edits as a whole, a priority among them")
    func edits() throws {
        let rules = try ruleSet(
            """
            {"rules": {"a": {".write": "newData.parent().child('b').exists()", "x": {".validate": false}},
                       "b": {".write": true, ".validate": "newData.getPriority() != null"}}}
            """)
        let context = try context(#"{"b": 1}"#)
        func verdict(_ edits: [Edit]) -> Bool {
            rules.judgeWrite(edits, leadingTo: context.root.applying(edits), in: context).isAllowed
        }
        let (a, b) = (try Path("/a"), try Path("/b"))
        #expect(verdict([.put(a, Node(.integer(1)))]))
        #expect(!verdict([.put(a, Node(.integer(1))), .put(b, .empty)]))
        #expect(verdict([.prioritize(b, .number(1))]))
        #expect(!verdict([.put(b, Node(.integer(2)))]))
        #expect(!verdict([.put(a, try node(#"{"x": 1}"#))]))
        #expect(!verdict([.put(a.appending(try Key("x")), Node(.integer(1)))]))
        #expect(verdict([.put(a.appending(try Key("x")), .empty)]))
    }

    @Test(
        "follows claims of every shape",
        arguments: [
            ("auth.token.level >= 3", true), ("auth.token['level'] == 3.0", true),
            ("auth.token.ids[1] == 'b'", true),
            ("auth.token.ids[2] == null", true), ("auth.token.ids['0'] == null", true),
            ("auth.token != null", true),
            ("auth.token == auth.token", false), ("auth.token.org[auth.token.key] == 'gold'", true),
            ("auth.token.org[auth.nothing] == null || true", false), ("auth.nothing.at.all == null", true),
            ("auth.uid.length == 3", true), ("auth.token.level.length == null", true),
            ("auth.nothing.length == 0 || true", false), ("auth['uid'].contains('n')", true),
            ("auth.token.level.contains('3') || true", false), ("root.child(auth.uid).exists()", false),
        ])
    func claims(expression: String, expected: Bool) throws {
        let auth = Auth(
            uid: "ann", provider: "password",
            token: try #require(
                {
                    let text = #"{"level": 3, "ids": ["a", "b"], "key": "tier", "org": {"tier": "gold"}}"#
                    guard case .object(let members) = try Claims(reading: Array(text.utf8)) else {
                        return nil
                    }
                    return members
                }()))
        #expect(try isTrue(expression, auth: auth) == expected)
    }

    @Test(
        "computes as the language says",
        arguments: [
            ("1 / 0 == 1 / 0", false), ("1 / 0 != 1 / 0", true), ("1 % 0 < 1 || 1 % 0 >= 1", false),
            ("7 / 2 == 3.5", true), ("-7 % 3 == -1", true),
            ("9007199254740993 - 9007199254740992 == 1", true),
            ("9223372036854775807 + 1 > 9223372036854775807", true),
            ("9223372036854775807 < 9223372036854775808", true),
            ("'a' + 1 == 'a1' && 1 + 'a' == '1a' && 'a' + 0.5 == 'a0.5'", true),
            ("'b' > 'a' && 'B' < 'a'", true),
            ("'\u{FFFD}' > '\u{1F600}'", true), ("'😀'.length == 2", true), ("'é' == 'e\u{301}'", false),
            ("'aXbX'.replace('X', '') == 'ab' && 'aa'.replace('', '-') == '-a-a-'", true),
            ("'abab'.replace('ab', 'b') == 'bb' && 'aaa'.replace('aa', 'b') == 'ba'", true),
            ("'Ä'.toLowerCase() == 'ä' && 'ß'.toUpperCase() == 'SS'", true),
            ("'abc'.endsWith('bc') && !'abc'.endsWith('ab') && 'abc'.contains('')", true),
            ("data.child('a.b').exists() == false && data.child('a.b').child('c').val() == null", true),
            ("data.child('x').parent().child('n').val() == 5", true),
            ("data.child('a.b').parent().exists() || true", false),
            ("data.parent().parent().exists() || true", false),
            ("root.child('place/n').parent().parent().exists()", true),
            ("data.child('//n/').val() == 5 && data.hasChild('') && data.child('').exists()", true),
        ])
    func computing(expression: String, expected: Bool) throws {
        #expect(try isTrue(expression, #"{"place": {"n": 5}}"#) == expected)
    }

    @Test(
        "sees the query only at its own place",
        arguments: [
            ("query.orderByKey", Query(order: .key), true), ("query.orderByKey", nil, false),
            ("query.orderByPriority", Query(limit: .last(5)), true),
            ("query.orderByValue", Query(order: .value), true),
            ("query.limitToLast <= 5", Query(limit: .last(5)), true),
            ("query.limitToFirst == null", Query(), true),
            ("query.limitToFirst <= 5", nil, false),
            (
                "query.equalTo == 3 && query.startAt == 3 && query.endAt == 3",
                Query(
                    order: .value, lower: Query.Bound(value: .leaf(.integer(3)), key: .start),
                    upper: Query.Bound(value: .leaf(.integer(3)), key: .end)), true
            ),
            (
                "query.equalTo == null && query.startAt == 3 && query.endAt == null",
                Query(order: .value, lower: Query.Bound(value: .leaf(.integer(3)), key: .start)), true
            ),
            (
                "query.startAt == 'b'",
                Query(order: .key, lower: Query.Bound(value: .null, key: .before(Key(index: 7)))), false
            ),
            (
                "query.startAt == '7' && query.orderByChild == null",
                Query(order: .key, lower: Query.Bound(value: .null, key: .before(Key(index: 7)))), true
            ),
        ] as [(String, Query?, Bool)])
    func queries(expression: String, query: Query?, expected: Bool) throws {
        let rules = try ruleSet("{\"rules\":{\"place\":{\".read\":\"\(expression)\"}}}")
        #expect(
            rules.judgeRead(at: try Path("/place"), query: query, in: try context()).isAllowed == expected)
        guard query?.limit != nil || query?.order == .key else { return }
        #expect(
            !rules.judgeRead(at: try Path("/place/below"), query: query, in: try context()).isAllowed
                || !expected
                || expression.contains("null"))
    }

    @Test("is a refusal when a rule needs too much work, whatever it would have come to")
    func work() throws {
        let rules = try ruleSet(
            #"{"rules": {".read": "data.val().matches(/(a+)+b/) || true", ".write": true}}"#)
        var context = try context()
        context.root = Node(.string(String(repeating: "a", count: 2_000_000)))
        let verdict = rules.judgeRead(at: .root, in: context)
        #expect(verdict.denial?.failure == "the rule needs too much work")
        context.root = Node(.string("aaa"))
        #expect(rules.judgeRead(at: .root, in: context).isAllowed)
    }

    @Test("does not let texts grow without end")
    func growth() throws {
        let grow = String(repeating: ".replace('a', 'aaaaaaaaaa')", count: 12)
        #expect(try !isTrue("'aaaa'\(grow).length > 0 || true"))
        #expect(try isTrue("'aaaa'.replace('a', 'aaaaaaaaaa').length == 40"))
    }

    @Test("bounds the work of a whole request, too")
    func request() throws {
        let rules = try ruleSet(#"{"rules": {"$key": {".write": "$key.length + $key.length < 100"}}}"#)
        var context = try context()
        let edits = (0..<100).map { Edit.put(Path([Key(index: $0)]), Node(.integer(1))) }
        #expect(rules.judgeWrite(edits, leadingTo: context.root.applying(edits), in: context).isAllowed)
        context.limits.stepsPerRequest = 200
        let verdict = rules.judgeWrite(edits, leadingTo: context.root.applying(edits), in: context)
        #expect(verdict.denial?.failure == "the rule needs too much work")
    }

    @Test("of a file follows its own rules, a name with a dot being nobody's literal child")
    func files() throws {
        let rules = try ruleSet(
            """
            {"rules": {}, "files": {"images": {"$name": {
              ".read": "auth != null", ".write": "root.child('members').child(auth.uid).exists()",
              ".validate": "request.size < 100 && request.contentType.beginsWith('image/')
                            && resource.size == null"
            }, "png": {}}}}
            """)
        let context = try context(#"{"members": {"ann": true}}"#, ann)
        var facts = FileFacts(request: .init(size: 99, contentType: "image/png"))
        func isAllowed(_ kind: RuleReference.Kind, _ names: [String]) -> Bool {
            rules.judgeFile(kind, at: names, facts, in: context).isAllowed
        }
        #expect(
            isAllowed(.write, ["images", "cat.png"]) && isAllowed(.read, ["images", "cat.png", "small"]))
        #expect(!isAllowed(.write, ["images", "png"]) && !isAllowed(.write, ["cat.png"]))
        facts.request.size = 100
        #expect(!isAllowed(.write, ["images", "cat.png"]) && isAllowed(.read, ["images", "cat.png"]))
        facts = FileFacts(request: .init(size: 1, contentType: "image/png"), resource: .init(size: 1))
        #expect(!isAllowed(.write, ["images", "cat.png"]))
        // Removing sends nothing, and nothing is not validated.
        facts.request = .init()
        #expect(isAllowed(.write, ["images", "cat.png"]))
        #expect(
            fault(in: #"{"rules": {}, "files": {".read": "data.exists()"}}"#)?.message
                == "Unknown variable 'data'.")
    }

    @Test("of the locked rules is always a refusal")
    func locked() throws {
        let context = try context("1", ann)
        #expect(!RuleSet.locked.judgeRead(at: .root, in: context).isAllowed)
        #expect(!RuleSet.locked.judgeWrite([.put(.root, .empty)], leadingTo: .empty, in: context).isAllowed)
        #expect(RuleSet.locked.judgeWrite([], leadingTo: context.root, in: context).isAllowed)
    }
}

@Suite("An explanation")
struct ExplanationTests {
    private let rules = """
        {"rules": {"rooms": {"$room": {
          ".write": "auth != null &&
                     !data.exists()",
          "topic": {".validate": "newData.val().length < 3"}
        }}}}
        """

    private func explanation(_ topic: Node, auth: Auth?) throws -> Explanation {
        let rules = try ruleSet(rules)
        let edits = [Edit.put(try Path("/rooms/lobby"), Node.empty.setting(topic, at: try Path("topic")))]
        let context = JudgingContext(auth: auth, now: 1, root: .empty)
        return rules.explainWrite(edits, leadingTo: Node.empty.applying(edits), in: context)
    }

    private let ann = Auth(uid: "ann", provider: "password", token: [:])

    @Test("tells each rule on the way and its parts with their values, line breaks left out")
    func text() throws {
        #expect(
            try explanation(Node(.string("hello")), auth: ann).description == """
                refused: write of /rooms/lobby: .validate of /rooms/$room/topic (line 4) is not satisfied \
                at /rooms/lobby/topic: it is false
                .write of /rooms/$room (line 2) at /rooms/lobby: true
                    auth != null && !data.exists()
                        auth  is (an object)
                        auth != null  is true
                        data.exists()  is false
                        !data.exists()  is true
                .validate of /rooms/$room/topic (line 4) at /rooms/lobby/topic: false
                    newData.val().length < 3
                        newData.val()  is 'hello'
                        newData.val().length  is 5

                """)
    }

    @Test("tells what could not be evaluated and why, and leaves out what was not needed")
    func failures() throws {
        let failed = try explanation(Node(.integer(7)), auth: ann)
        #expect(failed.summary.hasSuffix("at /rooms/lobby/topic: length needs a string, not a number"))
        #expect(failed.rules.last?.parts.last?.isFailure == true)
        let denied = try explanation(Node(.string("x")), auth: nil)
        #expect(denied.rules.count == 1)
        #expect(denied.rules[0].parts.map(\.expression) == ["auth", "auth != null"])
        #expect(
            denied.summary
                == "refused: write of /rooms/lobby: no .write rule on the way to /rooms/lobby is true; "
                + "the last one is .write of /rooms/$room (line 2): it is false")
        #expect(try explanation(Node(.string("x")), auth: ann).summary == "allowed: write of /rooms/lobby")
    }

    @Test("says that nothing is allowed without a rule")
    func nothing() {
        let context = JudgingContext(auth: nil, now: 1, root: .empty)
        let explanation = RuleSet.locked.explainRead(at: .root, in: context)
        #expect(
            explanation.summary.hasSuffix(
                "no .read rule stands on the way, and without one nothing is allowed"))
    }

    @Test("is written as JSON with the same content")
    func json() throws {
        let node = try explanation(Node(.string("x")), auth: nil).node
        let text = String(decoding: NodeSerializer.bytes(of: node), as: UTF8.self)
        #expect(text.contains(#""allowed":false"#))
        let parts =
            #""parts":[{"expression":"auth","value":"null"},{"expression":"auth != null","#
            + #""value":"false"}]"#
        #expect(text.contains(parts))
        #expect(text.contains(#""place":"/rooms/$room","rule":".write""#))
    }

    @Test("cuts long values")
    func longValues() throws {
        let text = try explanation(Node(.string(String(repeating: "x", count: 1_000))), auth: ann).description
        #expect(text.contains("'\(String(repeating: "x", count: 60))…'"))
    }
}
