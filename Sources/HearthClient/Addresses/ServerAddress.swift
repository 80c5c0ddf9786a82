// Where a server is, as people write it.

/// Host, port and, where the address names one, namespace of a server.
public struct ServerAddress: Equatable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: UInt16
    /// Whether TLS is spoken there.
    public let isSecure: Bool
    /// From `?ns=` in the address.
    public let namespace: String?

    /// Reads `http://host:port`, `https://host:port`, `host:port` or `host`, with an optional `/?ns=NAME`;
    /// the port is 9000 by default, with `https` 443.
    ///
    /// - Throws: `ClientError.badAddress`.
    public init(_ text: String) throws(ClientError) {
        var rest = text[...]
        var isSecure = false
        if let end = rest.firstRange(of: "://") {
            let scheme = rest[..<end.lowerBound].lowercased()
            guard scheme == "http" || scheme == "https" else {
                throw .badAddress(text, reason: "'\(scheme)' is no scheme of it")
            }
            isSecure = scheme == "https"
            rest = rest[end.upperBound...]
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        namespace = try ServerAddress.namespace(rest.dropFirst(authority.count), in: text)
        let parts = try ServerAddress.split(authority, in: text)
        host = parts.host
        port = parts.port ?? (isSecure ? 443 : 9_000)
        self.isSecure = isSecure
    }

    /// Makes an address from its parts.
    public init(host: String, port: UInt16, namespace: String? = nil, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.namespace = namespace
        self.isSecure = isSecure
    }

    /// `host:port` as the Host header has it.
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Takes the namespace out of what follows host and port; nothing but `/` and `?ns=` may stand there.
    private static func namespace(_ rest: Substring, in text: String) throws(ClientError) -> String? {
        let query = rest.hasPrefix("/") ? rest.dropFirst() : rest
        guard !query.isEmpty else { return nil }
        guard query.hasPrefix("?ns="), !query.contains("&") else {
            throw .badAddress(text, reason: "it has a path; paths are given to the commands")
        }
        return String(query.dropFirst(4))
    }

    private static func split(
        _ authority: Substring, in text: String
    ) throws(ClientError) -> (host: String, port: UInt16?) {
        var host = authority
        var digits: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw .badAddress(text, reason: "the bracket of the IPv6 address is not closed")
            }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let tail = authority[authority.index(after: end)...]
            guard tail.isEmpty || tail.first == ":" else {
                throw .badAddress(text, reason: "the port is no number")
            }
            digits = tail.isEmpty ? nil : tail.dropFirst()
        } else if let colon = authority.lastIndex(of: ":") {
            host = authority[..<colon]
            digits = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else { throw .badAddress(text, reason: "the host is missing") }
        let isName = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != 0x40 }
        guard isName, authority.hasPrefix("[") || !host.contains(":") else {
            throw .badAddress(text, reason: "the host has characters that cannot stand there")
        }
        guard let digits else { return (String(host), nil) }
        guard let port = UInt16(digits), port > 0 else {
            throw .badAddress(text, reason: "the port is no number")
        }
        return (String(host), port)
    }
}

extension ServerAddress: CustomStringConvertible {
    /// As a URL, without the namespace.
    public var description: String { (isSecure ? "https://" : "http://") + authority }
}

extension Substring {
    /// The first place where `text` stands.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
