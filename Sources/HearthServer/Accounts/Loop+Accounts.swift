// Requests to the identity services: understood here, decided elsewhere, answered here.
import HearthCore
import HearthIdentity
import HearthStorage
import HearthWire

extension Loop {
    /// Decides a request to an account address.
    func actOnAccounts(_ head: HTTPRequestHead, _ upload: Upload?, on connection: Connection) {
        do throws(AccountRefusal) {
            if let reason = services.accounts.unavailable {
                throw AccountRefusal.unoffered(reason)
            }
            let (call, project) = try accountCall(head, upload?.takeBody().bytes ?? [], on: connection)
            try services.accounts.admit(call, at: services.clock.milliseconds)
            if call.operation.addsAccounts { try requireRoom() }
            connection.incoming = .blocked
            let (token, mailbox) = (connection.token, mailbox)
            AccountJob(call, services.accounts.settings(naming: project), services) { result, position in
                mailbox.post(
                    .resume(token) { loop, connection in
                        connection.incoming = .head
                        loop.answer(result, head, until: position, on: connection)
                    })
            }.start(from: index)
        } catch {
            answer(.refused(error), head, until: 0, on: connection)
        }
    }

    /// Whether a request is the question of test suites whether an emulator is ready.
    func greetsAsEmulator(_ head: HTTPRequestHead) -> Bool {
        services.configuration.isEmulator && services.configuration.publicDirectory == nil
            && head.method == .get && head.path.count == 1
    }

    /// Takes no more accounts when memory runs short.
    private func requireRoom() throws(AccountRefusal) {
        do throws(RESTError) {
            try services.memory.requireRoom()
        } catch {
            throw .unavailable(error.text)
        }
    }

    /// Finds out what is asked and by whom, and which project the address names.
    private func accountCall(
        _ head: HTTPRequestHead, _ bytes: [UInt8], on connection: Connection
    ) throws(AccountRefusal) -> (AccountCall, project: String?) {
        guard let path = PercentDecoding.path.text(of: head.fields.bytes[head.path]),
            let method = AccountAddress.Method(head.method)
        else { throw .notFound }
        guard !path.hasPrefix("/emulator/auth/") else { throw .noProvider }
        let address = try AccountAddress(path: path, method: method)
        let query = FormFields(head.query.map { head.fields.bytes[$0] } ?? [])
        let isAdministrator = try isAdministrator(head, address)
        let key = query["key"] ?? head.value(.googleAPIKey)
        try checkKey(key, address, isAdministrator: isAdministrator)
        let body = try accountBody(address, head, bytes, query)
        let origin = AccountCall.Origin(
            visitor: (connection.visitor ?? .loopback).text, client: head.value(.userAgent) ?? "",
            language: head.value(.firebaseLocale) ?? head.value(.acceptLanguage), key: key)
        let call = AccountCall(
            address.operation, body, isAdministrator: isAdministrator, idToken: try idToken(of: body),
            from: origin)
        return (call, address.project)
    }

    private func accountBody(
        _ address: AccountAddress, _ head: HTTPRequestHead, _ bytes: [UInt8], _ query: FormFields
    ) throws(AccountRefusal) -> AccountBody {
        if head.method == .get || head.method == .delete { return AccountBody(form: query.fields) }
        let isForm = head.fields.value(of: .contentType, has: "application/x-www-form-urlencoded")
        // A form's bytes begin with a name, never with a brace: some clients name the wrong type.
        guard isForm, bytes.first != UInt8(ascii: "{") else { return try AccountBody(json: bytes) }
        return AccountBody(form: FormFields(bytes[...]).fields)
    }

    /// Whether the administrator asks. Schemes other than Bearer count as absent.
    private func isAdministrator(
        _ head: HTTPRequestHead, _ address: AccountAddress
    ) throws(AccountRefusal) -> Bool {
        guard let value = head.value(.authorization), value.prefix(7).lowercased() == "bearer " else {
            return false
        }
        let token = String(value.dropFirst(7).drop { $0 == " " })
        guard services.access.isAdministrator(bearer: token) else { throw .unauthenticated }
        return true
    }

    private func checkKey(
        _ key: String?, _ address: AccountAddress, isAdministrator: Bool
    ) throws(AccountRefusal) {
        guard !isAdministrator, !address.operation.needsNoKey else { return }
        guard let key, !key.isEmpty else { throw .missingKey }
        guard services.accounts.settings.allowedKeys?.contains(key) ?? true else { throw .unknownKey }
    }

    /// What the `idToken` of a call stands for; only tokens of this server's own accounts count.
    private func idToken(
        of body: AccountBody
    ) throws(AccountRefusal) -> Swift.Result<VerifiedToken, TokenRefusal>? {
        guard let text = try AccountCall.idTokenText(of: body) else { return nil }
        do throws(TokenRefusal) {
            let (token, _) = try tokens.check(
                text, by: services.access.verifier, at: services.clock.milliseconds,
                accepts: services.accepts)
            let isOwn = token.claims.member("iss").text == services.accounts.settings.issuer
            guard isOwn || services.configuration.isEmulator else { return .failure(.unknownIssuer) }
            return .success(token)
        } catch {
            return .failure(error)
        }
    }

}

extension Loop {
    /// Answers a call.
    func answer(
        _ result: AccountJob.Result, _ head: HTTPRequestHead, until position: Position,
        on connection: Connection
    ) {
        var reply = AccountReply(to: head)
        if isStopping { reply.keepsAlive = false }
        respond(connection, until: position) { reply.append(result, to: &$0) }
    }

    /// Answers an account request that the server does not take now, never in a form that signs users out.
    func refuseAccounts(_ error: RESTError, _ head: HTTPRequestHead, on connection: Connection) {
        let refusal =
            error.status == 503
            ? AccountRefusal.unavailable(error.text)
            : AccountRefusal.turnedAway(error.text, status: error.status)
        answer(.refused(refusal), head, until: 0, on: connection)
    }

    /// Forgets the verified tokens of users whose sessions may have ended, and ends what runs on dead ones.
    func endTokens(of users: [String]) {
        for user in users {
            tokens.removeTokens(of: user)
            for subscriber in judged.subscribers(of: user) {
                guard case .user(let token) = subscriber.request.caller, !services.accepts(token) else {
                    continue
                }
                dismiss(subscriber, .expired, until: 0)
            }
        }
        for session in sessions.values {
            guard case .user(let token) = session.caller, users.contains(token.uid) else { continue }
            if !services.accepts(token) { expireToken(of: session) }
        }
    }
}

extension AccountAddress.Method {
    fileprivate init?(_ method: HTTPMethod) {
        switch method {
        case .get: self = .get
        case .post: self = .post
        case .patch: self = .patch
        case .delete: self = .delete
        case .put, .head, .options, .other: return nil
        }
    }
}

extension HTTPRequestHead {
    /// The first value of a header as text.
    fileprivate func value(_ name: HTTPHeaderName) -> String? {
        fields.value(of: name).map { fields.text($0) }
    }
}

extension Visitor {
    /// A text that is the same for the same visitor.
    fileprivate var text: String {
        switch self {
        case .loopback: "loopback"
        case .ipv4(let bits):
            [24, 16, 8, 0].map { String(bits >> $0 & 255) }.joined(separator: ".")
        case .ipv6(let network): String(network, radix: 16) + "::/64"
        }
    }
}

/// The fields of a form or a query string.
struct FormFields {
    private(set) var fields: [(name: String, value: String)] = []

    /// Reads what can be read; the rest is left out.
    init(_ bytes: ArraySlice<UInt8>) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = PercentDecoding.query.text(of: pair[..<end]),
                let value = PercentDecoding.query.text(of: pair[min(end + 1, pair.endIndex)...])
            else { continue }
            fields.append((name, value))
        }
    }

    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
