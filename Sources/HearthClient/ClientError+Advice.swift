// What to do about a connection that does not come about.

import Glibc

extension ClientError {
    /// Makes the error for a system error number.
    static func unreachable(_ server: String, code: Int32) -> ClientError {
        .unreachable(server: server, code: code, reason: systemText(code))
    }

    /// What follows the reason, for the codes where something is likely.
    static func advice(_ code: Int32?) -> String {
        switch code {
        case ECONNREFUSED: " \u{2013} is 'hearth serve' running?"
        case ENETUNREACH, EHOSTUNREACH: " \u{2013} is this machine connected to that network?"
        case nil: " \u{2013} is the name right?"
        default: ""
        }
    }

    /// What the system says about an error number, without a capital letter, since it stands inside a
    /// sentence.
    static func systemText(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        let message = String(cString: text)
        return message.prefix(1).lowercased() + message.dropFirst()
    }
}
