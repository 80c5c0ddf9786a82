// Who asks, as the rules see it.

/// Who asks: what the variable `auth` of the rules stands for. Nobody who is signed in is nil `Auth?`.
///
/// The administrator is no `Auth`: rules do not judge him.
public struct Auth: Hashable, Sendable {
    /// The whole variable: usually `uid`, `provider` and `token`; an override may name anything.
    /// Never null.
    public let variable: Claims
    /// The account; nil if the variable names none.
    public let uid: String?

    /// Takes over a whole variable, as `auth_variable_override` and legacy tokens give it.
    public init(variable: [String: Claims]) {
        self.variable = .object(variable)
        uid = variable["uid"]?.text
    }

    /// The bearer of a verified ID token.
    ///
    /// - Parameters:
    ///   - uid: the account.
    ///   - provider: how it signed in; `auth.token.firebase.sign_in_provider` should say the same.
    ///   - token: all claims of the token.
    public init(uid: String, provider: String, token: [String: Claims]) {
        self.init(variable: [
            "uid": .leaf(.string(uid)), "provider": .leaf(.string(provider)), "token": .object(token),
        ])
    }
}
