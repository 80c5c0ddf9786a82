// Mails as text: templates filled in, and messages in the form of RFC 5322.
import HearthCore
import HearthCrypto

/// The words of a kind of mail, with places to be filled in: `%LINK%`, `%EMAIL%`, `%NEW_EMAIL%`,
/// `%DISPLAY_NAME%`, `%APP_NAME%`.
public struct MailTemplate: Sendable, Equatable {
    /// One line.
    public let subject: String
    /// Plain text.
    public let body: String

    /// Reads a template file: the first line is `Subject: …`, an empty line follows, then the body.
    public init?(text: String) {
        let lines = text.replacingLineEnds.split(
            separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].lowercased().hasPrefix("subject:"), lines[1].isEmpty else {
            return nil
        }
        subject = String(lines[0].dropFirst(8).drop { $0 == " " })
        body = String(lines[2])
    }

    init(_ subject: String, _ body: String) {
        self.subject = subject
        self.body = body
    }

    /// The words that are used where the operator gives none, in English.
    public static func usual(_ kind: MailOrder.Kind) -> MailTemplate {
        let ignore = "\n\nIf you did not ask for this, you can ignore this mail.\n"
        switch kind {
        case .resetPassword:
            return MailTemplate(
                "Your new password for %APP_NAME%",
                "Hello,\n\nfollow this link to set a new password for your account %EMAIL%:\n\n%LINK%"
                    + ignore)
        case .verifyEmail:
            return MailTemplate(
                "Is this your address? (%APP_NAME%)",
                "Hello %DISPLAY_NAME%,\n\nfollow this link to confirm that %EMAIL% is yours:\n\n%LINK%"
                    + ignore)
        case .verifyAndChangeEmail:
            return MailTemplate(
                "Your new address for %APP_NAME%",
                "Hello %DISPLAY_NAME%,\n\nfollow this link to use %NEW_EMAIL% for your account from now on:"
                    + "\n\n%LINK%" + ignore)
        case .signIn:
            return MailTemplate(
                "Sign in to %APP_NAME%",
                "Hello,\n\nfollow this link to sign in to %APP_NAME% as %EMAIL%:\n\n%LINK%" + ignore)
        case .recoverEmail:
            return MailTemplate(
                "Your address for %APP_NAME% was changed",
                "Hello %DISPLAY_NAME%,\n\nyour account no longer uses %EMAIL%. If it was not you who changed "
                    + "that, follow this link to take it back:\n\n%LINK%\n")
        case .addressTaken:
            return MailTemplate(
                "You have an account for %APP_NAME% already",
                "Hello,\n\nsomebody wanted to use %EMAIL% for another account for %APP_NAME%. You have one "
                    + "already, so nothing was changed.\n")
        }
    }
}

extension MailOrder {
    /// What a mail is sent as.
    public struct Envelope: Sendable {
        /// Whom it is from, an address alone.
        public var sender: String
        /// What the app is called.
        public var appName: String
        /// Milliseconds since 1970.
        public var now: Int64
        /// What makes the message's ID its own: letters and digits.
        public var identifier: String

        /// Puts an envelope together.
        public init(sender: String, appName: String, now: Int64, identifier: String) {
            self.sender = sender
            self.appName = appName
            self.now = now
            self.identifier = identifier
        }
    }

    /// The complete message: headers of ASCII with CR LF, a body in base64 so that no line is broken.
    ///
    /// - Returns: nil for an address that could break out of its header.
    public func message(_ template: MailTemplate, _ envelope: Envelope) -> [UInt8]? {
        guard MailOrder.isSafe(recipient), MailOrder.isSafe(envelope.sender) else { return nil }
        let subject = filled(template.subject, envelope.appName)
        let body = filled(template.body, envelope.appName)
        let domain = envelope.sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let headers = [
            "From: \(envelope.sender)", "To: \(recipient)", "Subject: \(MailOrder.encoded(subject))",
            "Date: \(Moment.mailText(envelope.now))",
            "Message-ID: <\(envelope.identifier)@\(domain)>", "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(MailOrder.isPlain(body) ? "7bit" : "base64")",
        ]
        let text =
            MailOrder.isPlain(body)
            ? body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            : MailOrder.folded(Base64.standard.encode(Array(body.utf8)))
        return Array((headers.joined(separator: "\r\n") + "\r\n\r\n" + text).utf8)
    }

    /// Fills the places of a template, in one pass: what is filled in is never looked at again.
    private func filled(_ template: String, _ appName: String) -> String {
        let values = [
            "LINK": link ?? "", "EMAIL": email, "NEW_EMAIL": newEmail ?? "",
            "DISPLAY_NAME": displayName ?? "", "APP_NAME": appName,
        ]
        var result = ""
        var rest = template[...]
        while let start = rest.firstIndex(of: "%") {
            result += rest[..<start]
            rest = rest[start...].dropFirst()
            let name = rest.prefix { $0.isUppercase || $0 == "_" }
            if rest.dropFirst(name.count).first == "%", let value = values[String(name)] {
                result += MailOrder.withoutControls(value)
                rest = rest.dropFirst(name.count + 1)
            } else {
                result += "%"
            }
        }
        return result + rest
    }

    private static func withoutControls(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    private static func isSafe(_ address: String) -> Bool {
        address.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value != 0x7F && !",;<>\"".unicodeScalars.contains($0)
        }
    }

    /// Whether a body can go as it is: ASCII in lines that no server breaks.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 0x0A || 0x20..<0x7F ~= $0 }
            && text.split(separator: "\n").allSatisfy { $0.utf8.count <= 900 }
    }

    /// RFC 2047: words of at most 75 characters, each a whole number of characters.
    private static func encoded(_ text: String) -> String {
        let plain = withoutControls(text)
        guard !plain.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) || plain.contains("=?") else { return plain }
        var words: [String] = []
        var piece = ""
        for character in plain {
            if piece.utf8.count + character.utf8.count > 42 {
                words.append(piece)
                piece = ""
            }
            piece.append(character)
        }
        words.append(piece)
        return words.map { "=?utf-8?B?\(Base64.standard.encode(Array($0.utf8)))?=" }.joined(
            separator: "\r\n ")
    }

    private static func folded(_ text: String) -> String {
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}

extension String {
    /// With line feeds alone as line ends.
    fileprivate var replacingLineEnds: String {
        String(decoding: utf8.filter { $0 != 0x0D }, as: UTF8.self)
    }
}
