// What a request brings to show who asks.

/// What a request brings to show who asks, not checked yet. Never logged. Source: rest-api.md §12.
public enum RESTCredential: Equatable, Sendable {
    /// Nothing.
    case none
    /// `Authorization: Bearer …`: an administrator.
    case bearer(String)
    /// `access_token=…`: an administrator, and never together with `callback`.
    case accessToken(String)
    /// `auth=…`: a user's token. Should it turn out to be an administrator's, the server must refuse it
    /// beside `callback`, as it does `accessToken`.
    case userToken(String)

    /// Reads the credential of a request: the header wins over `access_token`, that over `auth`; empty ones
    /// do not count.
    /// - Throws: 401 for an `Authorization` of another scheme, 400 for several of them.
    public init(_ head: borrowing HTTPRequestHead, _ parameters: RESTParameters) throws(RESTError) {
        if let value = try head.soleText(of: .authorization), !value.isEmpty {
            let scheme = value.prefix(7).lowercased()
            guard scheme == "bearer " else { throw .unreadableToken }
            let token = value.dropFirst(7).drop { $0 == " " }
            guard !token.isEmpty else { throw .unreadableToken }
            self = .bearer(String(token))
        } else if let token = parameters[.accessToken], !token.isEmpty {
            self = .accessToken(token)
        } else if let token = parameters[.auth], !token.isEmpty {
            self = .userToken(token)
        } else {
            self = .none
        }
    }
}

extension HTTPRequestHead {
    /// The value of a header that must not stand several times, nil if it is not there.
    func soleText(of name: HTTPHeaderName) throws(RESTError) -> String? {
        guard let range = fields.value(of: name) else { return nil }
        guard fields.count(of: name) == 1 else { throw .repeatedHeader }
        return fields.text(range)
    }
}
