// Who a request is from, by what it brings to show it.
import HearthCrypto
import HearthWire

/// Who asks.
enum Caller: Equatable, Sendable {
    /// May do everything.
    case administrator
    /// Somebody on this machine, signed in or not: without rules that makes no difference.
    case anybody
}

extension Caller {
    /// Checks what a request brings.
    ///
    /// - Parameter isScript: whether the answer is a script, which any page can read: the administrator's
    ///   token must not be used for one.
    /// - Throws: 401 for a token that is wrong, 400 for the administrator's where it must not be.
    init(
        _ credential: RESTCredential, _ token: AdminToken, isEmulator: Bool, isScript: Bool
    ) throws(RESTError) {
        switch credential {
        case .none: self = .anybody
        case .bearer(let text), .accessToken(let text):
            guard isEmulator || token.matches(text) else { throw .unreadableToken }
            self = .administrator
        case .userToken(let text):
            if token.matches(text) {
                guard !isScript else {
                    throw RESTError(
                        status: 400,
                        text: "The administrator's token must not be used together with callback.")
                }
                self = .administrator
            } else {
                try Caller.check(userToken: text, isEmulator: isEmulator)
                self = .anybody
            }
        }
    }

    /// There are no rules yet that could tell users apart, so a signed token makes no difference; but one
    /// that is no token, or that nobody signed, is refused as it always will be.
    private static func check(userToken text: String, isEmulator: Bool) throws(RESTError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .unreadableToken }
        guard !parts[2].isEmpty || isEmulator else { throw .unreadableToken }
        for part in parts[..<2] where !isBase64(part) { throw .unreadableToken }
    }

    private static func isBase64(_ part: Substring) -> Bool {
        do throws(Base64Error) {
            _ = try Base64.url.decode(String(part))
            return true
        } catch {
            return false
        }
    }
}
