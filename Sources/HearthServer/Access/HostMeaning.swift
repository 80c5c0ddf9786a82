// What the Host of a request says, found out once for the many requests that carry the same one.
import HearthWire

/// What a host means: whether it may be named at all, and which namespace it names.
final class HostMeaning {
    /// The bytes of the host with its port; nil where the request has none.
    private let bytes: [UInt8]?
    /// Whether requests may carry it.
    let isAllowed: Bool
    /// The namespace of requests that name none by a parameter.
    let namespace: String

    /// Finds out what the host of a request means.
    init(_ head: HTTPRequestHead, _ gate: Gate) {
        let text = head.host.map { head.fields.text($0) }
        bytes = head.host.map { Array(head.fields.bytes[$0]) }
        isAllowed = text.map { gate.isAllowed(host: $0) } ?? true
        namespace = Namespaces.name(parameter: nil, host: text)
    }

    /// Whether a request has the same host.
    func holds(for head: HTTPRequestHead) -> Bool {
        guard let range = head.host, let bytes else { return head.host == nil && self.bytes == nil }
        return head.fields.holds(bytes, in: range)
    }
}

extension Loop {
    /// What the host of a request means; the last one is remembered.
    func hostMeaning(of head: HTTPRequestHead) -> HostMeaning {
        if let known = lastHost, known.holds(for: head) { return known }
        let meaning = HostMeaning(head, services.gate)
        lastHost = meaning
        return meaning
    }

    /// The namespace that a request means, given what its parameter `ns` says.
    func namespaceName(_ head: HTTPRequestHead, _ host: HostMeaning, parameter: String?) -> String {
        guard let parameter else { return host.namespace }
        return Namespaces.name(parameter: parameter, host: head.host.map { head.fields.text($0) })
    }
}
