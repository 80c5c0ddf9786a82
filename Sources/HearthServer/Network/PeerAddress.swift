// An address without a port: that of a machine, as proxies are named.
import Glibc

/// A numeric network address of one machine.
public struct PeerAddress: Hashable, Sendable {
    let host: SocketAddress.Host

    /// Reads an IPv4 address, or an IPv6 address with or without brackets; names are never looked up.
    ///
    /// - Throws: `StartFailure.configuration` with the reason and an example.
    public init(_ text: String) throws(StartFailure) {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let digits = isBracketed ? String(text.dropFirst().dropLast()) : text
        guard let host = SocketAddress.ipv4(digits) ?? SocketAddress.ipv6(digits) else {
            throw .configuration("'\(text)' is no numeric address, as 127.0.0.1 or 2001:db8::1")
        }
        self.host = host.canonical
    }
}
