// What proxies say about the clients that they ask for, believed from those alone that were named.
import HearthWire
import Synchronization

/// Finds out for whom a proxy asks.
final class Forwarding: Sendable {
    private let proxies: Set<SocketAddress.Host>
    private let hasWarned = Atomic(false)

    init(_ proxies: [PeerAddress]) {
        self.proxies = Set(proxies.map(\.host))
    }

    /// Whether what comes from an address is a proxy's.
    func isProxy(_ host: SocketAddress.Host) -> Bool {
        !proxies.isEmpty && proxies.contains(host.canonical)
    }

    /// The client for whom a proxy passes a request on: the last one in `X-Forwarded-For` that is none of our
    /// proxies, since what stands before it anybody can have written. nil if there is none.
    func client(of head: HTTPRequestHead) -> SocketAddress.Host? {
        guard let range = head.fields.lastValue(of: .xForwardedFor) else { return nil }
        for part in head.fields.text(range).split(separator: ",").reversed() {
            guard let host = Forwarding.host(part) else { return nil }
            if !proxies.contains(host) { return host }
        }
        return nil
    }

    /// Whether a client came to the proxy without TLS, and nobody has been told of such a one yet.
    func isFirstPlain(_ head: HTTPRequestHead) -> Bool {
        guard let range = head.fields.lastValue(of: .xForwardedProto), head.fields.equals("http", in: range)
        else { return false }
        return !hasWarned.exchange(true, ordering: .relaxed)
    }

    /// An address as proxies write it: some add the port, and then brackets around IPv6.
    private static func host(_ text: Substring) -> SocketAddress.Host? {
        var word = text.drop { $0 == " " || $0 == "\t" }
        while word.last == " " || word.last == "\t" { word.removeLast() }
        if word.hasPrefix("["), let end = word.firstIndex(of: "]") {
            return SocketAddress.ipv6(String(word[..<end].dropFirst()))?.canonical
        }
        if let host = SocketAddress.ipv6(String(word)) { return host.canonical }
        return SocketAddress.ipv4(String(word.prefix { $0 != ":" }))
    }
}

extension Loop {
    /// The host at which a client is to come back: the one that it named, and behind a proxy, which may have
    /// put another in its place, the public one if that is known.
    func hostForClient(_ head: HTTPRequestHead, _ connection: Connection) -> String {
        if connection.isProxied, let url = services.configuration.publicURL { return url.authority }
        return head.host.map { head.fields.text($0) } ?? ""
    }

    /// Counts a connection of a proxy for the client that it asks for now.
    ///
    /// - Throws: 503 when that client has as many as one address may have.
    func note(_ head: HTTPRequestHead, on connection: Connection) throws(HTTPParseError) {
        if services.forwarding.isFirstPlain(head) {
            services.log.warning(
                "a proxy passes on what came without TLS; whoever is on the way can read along",
                ("advice", "have the proxy redirect http to https"))
        }
        let visitor = services.forwarding.client(of: head).map { Visitor($0) }
        guard visitor != connection.visitor else { return }
        if let visitor, !services.visitors.enter(visitor) {
            services.metrics.turnedAway.add()
            throw .tooManyOfOne
        }
        if let before = connection.visitor { services.visitors.leave(before) }
        connection.visitor = visitor
    }
}

extension HTTPParseError {
    /// What a client gets beyond the connections that one address may have.
    static var tooManyOfOne: HTTPParseError {
        HTTPParseError(
            status: 503, message: "Too many connections from your address; close some or try again later.")
    }
}
