// A stage for stories about accounts: a tree, a clock and chance, and calls as short lines of text.
import HearthCore
import HearthCrypto
import HearthIdentity
import HearthJSON
import HearthTesting
import Testing

/// What a call came to.
struct StagedAnswer {
    /// The fields of an answer; empty for a refusal.
    var fields: [String: Claims] = [:]
    var page: ActionPage?
    var redirect: String?
    /// The message of a refusal.
    var refusal: String?
    var outcome: AccountOutcome?

    func text(_ name: String) -> String? { fields[name]?.text }
}

/// Plays calls against a tree of accounts, the way a server does but on one thread.
struct AccountStage {
    static let start: Int64 = 1_800_000_000_000

    var root = Node.empty
    var now = start
    var settings: AccountSettings
    var random: SeededRandom
    /// How often a password was hashed or checked.
    var workCount = 0
    private let signer: TokenSigner
    private let verifier: TokenVerifier
    private static let key = PrivateKey.generate(.rs256)

    enum Mode: CaseIterable {
        case emulator, production
    }

    init(_ mode: Mode, seed: UInt64 = 7) throws {
        settings = AccountSettings(
            project: "fire3chat", isEmulator: mode == .emulator, publicBase: "https://chat.example")
        settings.passwordCost = .light
        random = SeededRandom(seed: seed)
        let keys = SigningKeys(AccountStage.key, at: 0)
        signer = mode == .emulator ? .unsigned : keys.signer(at: now)
        verifier = try TokenVerifier(
            issuers: mode == .emulator
                ? [] : [.project("fire3chat", keys: keys.verificationKeys(at: AccountStage.start))],
            acceptsUnsigned: mode == .emulator)
    }

    /// Makes a call by its short address, as `accounts:signUp`, with a body of JSON.
    mutating func call(
        _ operation: AccountOperation, _ json: String = "{}", admin: Bool = false,
        from origin: AccountCall.Origin = AccountCall.Origin(visitor: "192.0.2.1", client: "test")
    ) throws -> StagedAnswer {
        let body: AccountBody
        do throws(AccountRefusal) {
            body = try AccountBody(json: Array(json.utf8))
        } catch {
            return StagedAnswer(refusal: error.message)
        }
        return try call(operation, body, admin: admin, from: origin)
    }

    mutating func call(
        _ operation: AccountOperation, _ body: AccountBody, admin: Bool = false,
        from origin: AccountCall.Origin = AccountCall.Origin(visitor: "192.0.2.1", client: "test")
    ) throws -> StagedAnswer {
        let call = AccountCall(
            operation, body, isAdministrator: admin, idToken: try idToken(body), from: origin)
        var findings = PasswordFindings()
        while true {
            let decision = Accounts.decide(
                call, in: root, settings: settings, findings: findings, now: now, random: &random)
            switch decision {
            case .needs(let work):
                workCount += 1
                findings.perform(work, cost: settings.passwordCost)
            case .refused(let refusal): return StagedAnswer(refusal: refusal.message)
            case .answered(let outcome): return take(outcome)
            }
        }
    }

    private func idToken(_ body: AccountBody) throws -> Result<VerifiedToken, TokenRefusal>? {
        guard let text = try AccountCall.idTokenText(of: body) else { return nil }
        do throws(TokenRefusal) {
            return .success(try verifier.verify(text, at: now))
        } catch {
            return .failure(error)
        }
    }

    private mutating func take(_ outcome: AccountOutcome) -> StagedAnswer {
        expectSeparate(outcome.edits.map(\.path))
        for edit in outcome.edits { root.set(edit.node, at: edit.path) }
        var answer = StagedAnswer(outcome: outcome)
        switch outcome.answer {
        case .json(let fields): answer.fields = fields
        case .page(let page): answer.page = page
        case .redirect(let address): answer.redirect = address
        }
        if let plan = outcome.token {
            let token = signer.token(plan.payload)
            answer.fields.merge(plan.fields(signed: token, project: settings.project)) { _, new in new }
        }
        return answer
    }

    /// No written place may lead on to another, or the database would refuse them together.
    private func expectSeparate(_ paths: [Path]) {
        for (index, path) in paths.enumerated() {
            #expect(!paths[..<index].contains { $0.contains(path) || path.contains($0) })
        }
    }

    /// Whether the database would still believe a token.
    func accepts(_ idToken: String?) throws -> Bool {
        // Why it is not believed does not matter here.
        guard let token = try? verifier.verify(try #require(idToken), at: now) else { return false }
        return Accounts.accepts(token, in: root)
    }

    mutating func wait(seconds: Int64) { now += seconds * 1_000 }

    /// Everything that is stored, as JSON.
    var stored: String { String(decoding: NodeSerializer.bytes(of: root), as: UTF8.self) }
}

extension AccountStage {
    /// Registers somebody.
    mutating func signUp(_ email: String, _ password: String = "geheimes wort") throws -> StagedAnswer {
        let answer = try call(.signUp, #"{"email":"\#(email)","password":"\#(password)"}"#)
        try #require(answer.refusal == nil, "\(answer.refusal ?? "")")
        return answer
    }

    mutating func signIn(_ email: String, _ password: String = "geheimes wort") throws -> StagedAnswer {
        try call(.signInWithPassword, #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    /// Makes a code and takes it out of the mail's link.
    mutating func code(_ json: String) throws -> String {
        let answer = try call(.sendCode, json)
        try #require(answer.refusal == nil, "\(answer.refusal ?? "")")
        let link = try #require(answer.outcome?.mails.first?.link)
        return try AccountStage.code(in: link)
    }

    static func code(in link: String) throws -> String {
        let part = try #require(link.split(separator: "&").first { $0.hasPrefix("oobCode=") })
        return String(part.dropFirst(8))
    }

    /// The fields of the user's record.
    mutating func record(_ localID: String) throws -> [String: Claims] {
        let answer = try call(.lookup, #"{"localId":["\#(localID)"]}"#, admin: true)
        guard case .list(let users)? = answer.fields["users"], case .object(let record)? = users.first else {
            return [:]
        }
        return record
    }
}
