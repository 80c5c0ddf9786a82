// What an answer's head says to the one who asked.

internal import HearthWire

extension ClientAnswer {
    init(_ head: HTTPReceivedResponse) {
        status = head.status
        cursor = head.text(of: "hearth-cursor")
        entityTag = head.text(of: "etag")
    }
}

extension ServerRefusal {
    init(_ head: HTTPReceivedResponse, body: [UInt8]) {
        self.init(
            status: head.status, reason: ServerRefusal.reason(inBody: body),
            retryAfter: head.text(of: "retry-after").flatMap { Int($0) },
            entityTag: head.text(of: "etag"))
    }
}

extension HTTPReceivedResponse {
    fileprivate func text(of name: HTTPHeaderName) -> String? {
        fields.value(of: name).map { fields.text($0) }
    }
}
