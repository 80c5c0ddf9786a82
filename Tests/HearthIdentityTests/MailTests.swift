// Mails as text.
import HearthCore
import HearthCrypto
import Testing

@testable import HearthIdentity

@Suite("A mail")
struct MailTests {
    private func order(
        _ recipient: String = "ann@chat.example", name: String? = "Ann",
        link: String? = "https://chat.example/?a=b"
    ) -> MailOrder {
        MailOrder(
            kind: .resetPassword, recipient: recipient, email: recipient, newEmail: nil, displayName: name,
            link: link, language: nil)
    }

    private let envelope = MailOrder.Envelope(
        sender: "chat@chat.example", appName: "Chat", now: 1_796_022_880_123, identifier: "abc")

    @Test("is a complete message with its link in one line")
    func whole() throws {
        let long = "https://chat.example/emulator/action?oobCode=" + String(repeating: "x", count: 600)
        let message = try #require(order(link: long).message(.usual(.resetPassword), envelope))
        let text = String(decoding: message, as: UTF8.self)
        #expect(
            text.hasPrefix(
                """
                From: chat@chat.example\r
                To: ann@chat.example\r
                Subject: Your new password for Chat\r
                Date: Mon, 30 Nov 2026 07:14:40 +0000\r
                Message-ID: <abc@chat.example>\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: 7bit\r
                \r
                Hello,\r\n
                """))
        #expect(text.components(by: "\r\n").contains(long))
    }

    @Test("encodes what is not ASCII, in its subject and its body")
    func encoded() throws {
        let template = try #require(
            MailTemplate(
                text:
                    "Subject: Schlüssel für %APP_NAME%: ein langer Betreff, länger als eine Zeile\n\n"
                    + "Hallo %DISPLAY_NAME%\n"
            ))
        let message = try #require(order(name: "Jörg").message(template, envelope))
        #expect(message.allSatisfy { $0 < 0x80 })
        let text = String(decoding: message, as: UTF8.self)
        let lines = text.components(by: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        let words = lines.filter { $0.contains("=?utf-8?B?") }
            .compactMap { $0.split(separator: "?").dropFirst(3).first.map(String.init) }
        let subject = try words.map { String(decoding: try Base64.standard.decode($0), as: UTF8.self) }
            .joined()
        #expect(subject == "Schlüssel für Chat: ein langer Betreff, länger als eine Zeile")
        let end = try #require(lines.firstIndex(of: ""))
        let body = lines[end...].joined()
        #expect(String(decoding: try Base64.standard.decode(body), as: UTF8.self) == "Hallo Jörg\n")
    }

    @Test("fills its places in once: what a user wrote is never read as a place, nor breaks a line")
    func places() throws {
        let template = try #require(
            MailTemplate(text: "Subject: 100 % %APP_NAME% %NOTHING%\n\n%DISPLAY_NAME%|%LINK%|%%|50%\n"))
        let message = try #require(
            order(name: "%LINK%\r\nBcc: eve@x", link: "L").message(template, envelope))
        let text = String(decoding: message, as: UTF8.self)
        #expect(text.contains("Subject: 100 % Chat %NOTHING%\r\n"))
        #expect(text.hasSuffix("\r\n\r\n%LINK%Bcc: eve@x|L|%%|50%\r\n"))
    }

    @Test("is not written to an address that could break out of its header")
    func hostile() {
        for address in ["a@b\r\nBcc: eve@x", "a@b, eve@x", "<a@b>", "a b@c", "\"a\"@b"] {
            #expect(order(address).message(.usual(.resetPassword), envelope) == nil)
        }
    }

    @Test("has words for every kind, and shows neither address nor link in a log")
    func kinds() {
        for kind in MailOrder.Kind.allCases {
            #expect(MailTemplate.usual(kind).body.contains("%LINK%") == (kind != .addressTaken))
        }
        #expect("\(order())" == "a mail of kind resetPassword")
        #expect(!String(reflecting: order()).contains("chat.example"))
        #expect(MailTemplate(text: "no subject\n\nbody") == nil)
    }

    @Test("is dated right in every season")
    func dates() {
        #expect(Moment.text(0) == "1970-01-01T00:00:00.000Z")
        #expect(Moment.text(951_782_400_000) == "2000-02-29T00:00:00.000Z")
        #expect(Moment.text(4_107_542_399_999) == "2100-02-28T23:59:59.999Z")
        #expect(Moment.mailText(0) == "Thu, 01 Jan 1970 00:00:00 +0000")
        #expect(Moment.mailText(1_709_164_800_000) == "Thu, 29 Feb 2024 00:00:00 +0000")
    }
}

extension String {
    /// The parts between a separator.
    fileprivate func components(by separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
