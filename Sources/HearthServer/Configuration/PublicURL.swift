// Where clients reach a server, whatever lies between.

/// A scheme, a host and perhaps a port; no path.
public struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// Whether clients are to speak TLS.
    public let isSecure: Bool
    /// The host as a name, an IPv4 address or an IPv6 address in brackets, with the port where one is given.
    public let authority: String

    /// Reads `https://chat.example`, `http://10.0.0.1:9000` or with a slash at the end.
    ///
    /// - Throws: `StartFailure.configuration` with the reason and an example.
    public init(_ text: String) throws(StartFailure) {
        let lowercased = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lowercased.hasPrefix($0) }) else {
            throw PublicURL.wrong(text, "it must begin with https:// or http://")
        }
        var rest = lowercased.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        guard PublicURL.isAuthority(rest) else {
            throw PublicURL.wrong(text, "what follows must be a host and perhaps a port")
        }
        isSecure = scheme == "https://"
        authority = String(rest)
    }

    /// The URL without a slash at the end.
    public var description: String { (isSecure ? "https://" : "http://") + authority }

    private static func wrong(_ text: String, _ reason: String) -> StartFailure {
        .configuration("'\(text)' is no public URL: \(reason), as in https://chat.example")
    }

    private static func isAuthority(_ text: Substring) -> Bool {
        var host = text
        let end = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[end...].firstIndex(of: ":") {
            guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else { return false }
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            return SocketAddress.ipv6(String(host.dropFirst().dropLast())) != nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63
                && label.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                        || byte == 0x5F
                }
        }
    }
}
