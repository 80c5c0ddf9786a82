// A group of rules cases: rules are stored, then each case resets the data and asks in somebody's name.
import Foundation
import HearthTesting
import Testing

/// One group of the rules language's cases, played over HTTP.
struct RulesGroup: Sendable, CustomTestStringConvertible {
    /// One question to the rules, or one set of rules to store.
    struct Question: Sendable {
        let content: JSONValue

        /// What it shows.
        var why: String { content["why"]?.string ?? "" }
        /// Whether it rests on little evidence, and is not played.
        var isTentative: Bool { content["confidence"]?.string == "low" }
        /// Whether it stores rules instead of asking.
        var isDeployment: Bool { content["op"]?.string == "deploy" }
        /// Whether the server must refuse.
        var isRefused: Bool { content["allow"]?.isSame(as: .boolean(false)) ?? false }
        /// Whether the server must not take the rules.
        var isInvalid: Bool { content["valid"]?.isSame(as: .boolean(false)) ?? false }
    }

    let name: String
    let questions: [Question]
    private let content: JSONValue

    var testDescription: String { name }

    /// The groups, which the pure judge is asked with too.
    static var all: [RulesGroup] {
        get throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("HearthRulesTests/Cases")
            let files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            return try files.sorted { $0.path < $1.path }.flatMap { file in
                let content = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
                return try (content.elements ?? [content]).map { try RulesGroup($0) }
            }
        }
    }

    private init(_ content: JSONValue) throws {
        self.content = content
        name = try #require(content["name"]?.string)
        questions = try #require(content["cases"]?.elements).map { Question(content: $0) }
            .filter { !$0.isTentative }
    }

    /// Stores the group's rules.
    func deploy(_ asker: Asker) throws {
        guard content["rules"] != nil || content["rulesText"] != nil else { return }
        try RulesGroup.must(RulesGroup.deploy(content, asker), "storing the group's rules")
    }

    /// Puts a question.
    ///
    /// - Throws: what came out differently.
    func put(_ question: Question, _ asker: Asker) throws {
        guard !question.isDeployment else { return try putDeployment(question, asker) }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let data = question.content["data"] ?? content["data"] ?? .null
        try RulesGroup.must(
            asker.ask(RulesGroup.step("PUT", "/", body: data.settled(now: now))), "setting the data")
        let answer = try asker.ask(try RulesGroup.step(of: question, now: now))
        if question.isRefused {
            let denied = JSONValue.object([
                "status": .array([.integer(401), .integer(403)]),
                "errorContains": .string("permission denied"),
            ])
            try Expectation(wanted: denied).check(answer)
        } else {
            try RulesGroup.must(answer, "what is allowed")
            if let value = question.content["expectJson"] {
                try Expectation(wanted: .object(["json": value])).check(answer)
            }
        }
        for (place, value) in question.content["after"]?.sortedMembers ?? [] {
            let found = try asker.ask(RulesGroup.step("GET", place))
            try Expectation(wanted: .object(["json": value])).check(found)
        }
    }

    private func putDeployment(_ question: Question, _ asker: Asker) throws {
        let answer = try RulesGroup.deploy(question.content, asker)
        guard question.isInvalid else { return try RulesGroup.must(answer, "storing valid rules") }
        let refusal = JSONValue.object([
            "status": .integer(400), "errorContains": question.content["errorContains"] ?? .string(""),
        ])
        try Expectation(wanted: refusal).check(answer)
    }

    private static func must(_ answer: WireClient.Answer, _ what: String) throws {
        guard answer.status == 200 || answer.status == 204 else { throw Mismatch("\(what): \(answer)") }
    }

    private static func deploy(_ content: JSONValue, _ asker: Asker) throws -> WireClient.Answer {
        var members: [String: JSONValue] = [
            "method": .string("PUT"), "path": .string("/.settings/rules.json"),
        ]
        if let text = content["rulesText"] {
            members["bodyText"] = text
        } else {
            let rules = content["rules"] ?? .null
            let isWhole = rules["rules"] != nil || content["wrap"]?.isSame(as: .boolean(false)) ?? false
            members["body"] = isWhole ? rules : .object(["rules": rules])
        }
        return try asker.ask(.object(members))
    }

    private static func step(of question: Question, now: Int64) throws -> JSONValue {
        let methods = ["read": "GET", "write": "PUT", "update": "PATCH", "push": "POST", "delete": "DELETE"]
        let method = try #require(methods[question.content["op"]?.string ?? ""])
        var members = step(method, try #require(question.content["path"]?.string)).members ?? [:]
        members["query"] = question.content["query"]
        members["auth"] = question.content["auth"] ?? .string("none")
        if ["PUT", "PATCH", "POST"].contains(method) {
            members["body"] = try #require(question.content["newData"]).settled(now: now)
        }
        return .object(members)
    }

    private static func step(_ method: String, _ path: String, body: JSONValue? = nil) -> JSONValue {
        let trimmed = path.split(separator: "/").joined(separator: "/")
        var members: [String: JSONValue] = [
            "method": .string(method), "path": .string("/\(trimmed).json"),
        ]
        members["body"] = body
        return .object(members)
    }
}
