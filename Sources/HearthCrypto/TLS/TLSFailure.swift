// Why an encrypted connection came to nothing.
import COpenSSL

/// What is wrong with a session; no byte of it is in the text.
public enum TLSFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The other side's certificate is not believed; the text is OpenSSL's reason.
    case untrusted(String)
    /// The other side broke the protocol, speaks another one, or gave up; the text is OpenSSL's reason.
    case broken(String)

    /// The reason, as a part of a sentence.
    public var description: String {
        switch self {
        case .untrusted(let reason): "the certificate is not trusted: \(reason)"
        case .broken(let reason): "the TLS connection broke: \(reason)"
        }
    }

    /// The last reason that OpenSSL noted on this thread; its notes are empty then.
    static func takeReason() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason is known" }
        return String(cString: text)
    }
}
