// The answers of the identity services as HTTP.
import HearthCore
import HearthIdentity
import HearthJSON
import HearthWire

/// How one call is answered. Nothing of an answer may be kept by caches, except published keys.
struct AccountReply {
    private let isHead: Bool
    private let version: HTTPVersion
    /// Whether the connection may go on.
    var keepsAlive: Bool

    init(to head: HTTPRequestHead) {
        isHead = head.method == .head
        version = head.version
        keepsAlive = head.keepsAlive
    }

    /// Appends an answer.
    ///
    /// - Returns: whether the connection stays open.
    func append(_ result: AccountJob.Result, to output: inout [UInt8]) -> Bool {
        switch result {
        case .answer(.json(let fields)):
            return append(200, .json, Accounts.json(fields), to: &output)
        case .answer(.page(let page)): return append(page, to: &output)
        case .answer(.redirect(let address)): return redirect(to: address, &output)
        case .text(let json):
            return append(200, .json, json, to: &output) { $0.caching = .seconds(3_600) }
        case .refused(let refusal): return append(refusal, to: &output)
        }
    }

    private func append(_ refusal: AccountRefusal, to output: inout [UInt8]) -> Bool {
        let body = refusal.isPlain ? Array((refusal.message + "\n").utf8) : refusal.envelope
        return append(refusal.status, refusal.isPlain ? .text : .json, body, to: &output) { head in
            if let seconds = refusal.retryAfterSeconds, let value = HTTPFieldValue("\(seconds)") {
                head.fields.append(("Retry-After", value))
            }
        }
    }

    private func redirect(to address: String, _ output: inout [UInt8]) -> Bool {
        guard let value = HTTPFieldValue(address) else {
            return append(.turnedAway("The address to go on to is none.", status: 400), to: &output)
        }
        return append(303, .text, [], to: &output) { $0.fields.append(("Location", value)) }
    }

    private func append(_ page: ActionPage, to output: inout [UInt8]) -> Bool {
        append(page.status, .html, page.html, to: &output) { head in
            head.isOpenToAnyOrigin = false
            head.fields = [
                (name: "Referrer-Policy", value: HTTPFieldValue("no-referrer")),
                (name: "X-Frame-Options", value: HTTPFieldValue("DENY")),
                (name: "X-Content-Type-Options", value: HTTPFieldValue("nosniff")),
                (name: "Content-Security-Policy", value: HTTPFieldValue(AccountReply.pagePolicy)),
            ]
        }
    }

    /// Neither scripts nor frames nor anything from elsewhere.
    private static let pagePolicy: StaticString = """
        default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; \
        base-uri 'none'
        """

    private func append(
        _ status: Int, _ type: HTTPContentType, _ body: [UInt8], to output: inout [UInt8],
        _ change: (inout HTTPResponseHead) -> Void = { _ in }
    ) -> Bool {
        var head = HTTPResponseHead(status: status, body: .length(body.count))
        head.version = version
        head.keepsAlive = keepsAlive
        head.contentType = type
        head.caching = .noStore
        change(&head)
        let staysOpen = HTTPResponseWriter.append(head, to: &output)
        if !isHead { output += body }
        return staysOpen
    }
}

extension AccountRefusal {
    /// The error envelope (accounts.md §1).
    var envelope: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.key("code")
        writer.integer(Int64(status))
        writer.key("message")
        writer.string(message)
        writer.key("errors")
        writer.beginArray()
        writer.beginObject()
        writer.key("message")
        writer.string(message)
        writer.key("reason")
        writer.string(reason)
        writer.key("domain")
        writer.string("global")
        writer.endObject()
        writer.endArray()
        if let statusName {
            writer.key("status")
            writer.string(statusName)
        }
        writer.endObject()
        writer.endObject()
        return writer.take()
    }

    private var reason: String {
        switch status {
        case 401: "authError"
        case 403: "forbidden"
        case 404: "notFound"
        default: "invalid"
        }
    }
}
