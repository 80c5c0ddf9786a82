// The cases that any Realtime-Database-compatible server answers alike, played against a server over HTTP.
import Testing

@Suite("A server for known clients")
struct ConformanceTests {
    @Test("answers as they expect", arguments: try DataCase.played)
    func answers(_ example: DataCase) throws {
        try play(example)
    }

    @Test("has been shown all cases but those that rest on little evidence")
    func count() throws {
        let all = try DataCase.all
        #expect(all.count == 215)
        #expect(all.filter(\.isTentative).count == 11)
        #expect(Set(all.map(\.name)).count == all.count)
    }

    private func play(_ example: DataCase) throws {
        try withEmulator { port in
            try example.play(Asker(port: port, namespace: "conformance"))
        }
    }

    @Test(
        "lets nobody do more, and nobody less, than the rules say", arguments: try RulesGroup.all,
        Asker.Presentation.allCases)
    func judges(_ group: RulesGroup, _ presentation: Asker.Presentation) throws {
        try withEmulator { port in
            let asker = Asker(port: port, namespace: "rules", presentation: presentation)
            try group.deploy(asker)
            #expect(!group.questions.isEmpty)
            for question in group.questions { expect(question, of: group, asker) }
        }
    }

    private func expect(_ question: RulesGroup.Question, of group: RulesGroup, _ asker: Asker) {
        do {
            try group.put(question, asker)
        } catch {
            Issue.record("\(group.name) / \(question.why): \(error)")
        }
    }
}
