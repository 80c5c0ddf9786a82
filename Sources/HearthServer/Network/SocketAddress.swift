// Where a socket listens: an IPv4 or IPv6 address and a port, as people write it and as the system takes it.
import CLinux
import Glibc

/// A numeric network address with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the address in network order, with the family that their number tells.
    enum Host: Hashable, Sendable {
        case ipv4(UInt32)
        case ipv6(high: UInt64, low: UInt64)

        /// An IPv4 address that is written as one of IPv6 is the IPv4 address.
        var canonical: Host {
            guard case .ipv6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
            return .ipv4(UInt32(truncatingIfNeeded: low))
        }
    }

    let host: Host
    /// The port; 0 lets the system choose.
    public let port: UInt16

    /// `127.0.0.1` with this port.
    public static func loopback4(port: UInt16) -> SocketAddress {
        SocketAddress(host: .ipv4(0x7F00_0001), port: port)
    }

    /// `[::1]` with this port.
    public static func loopback6(port: UInt16) -> SocketAddress {
        SocketAddress(host: .ipv6(high: 0, low: 1), port: port)
    }

    /// Reads `HOST:PORT` as given on a command line.
    ///
    /// The host is an IPv4 address, an IPv6 address in brackets, or `localhost`, which stands for both
    /// loopback addresses; names are never looked up.
    ///
    /// - Throws: `StartFailure.configuration` with the reason and an example.
    public static func parse(_ text: String) throws(StartFailure) -> [SocketAddress] {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .configuration("'\(text)' is no HOST:PORT with a port up to 65535, as in 127.0.0.1:9000")
        }
        let name = text[..<colon]
        if name == "localhost" { return [loopback4(port: port), loopback6(port: port)] }
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        let digits = String(isBracketed ? name.dropFirst().dropLast() : name)
        guard let host = isBracketed ? ipv6(digits) : ipv4(digits) else {
            throw .configuration(
                "'\(name)' in '\(text)' is no numeric address, as in 127.0.0.1:9000 or localhost:9000"
            )
        }
        return [SocketAddress(host: host, port: port)]
    }

    /// Whether it stands for all addresses of the machine.
    var isUnspecified: Bool {
        switch host {
        case .ipv4(let bits): bits == 0
        case .ipv6(let high, let low): high == 0 && low == 0
        }
    }

    /// Whether only programs of this machine can reach it.
    public var isLoopback: Bool {
        switch host {
        case .ipv4(let bits): bits >> 24 == 127
        case .ipv6(let high, let low): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
        }
    }

    /// The address as it stands in a URL: `127.0.0.1:9000` or `[::1]:9000`.
    public var description: String {
        switch host {
        case .ipv4(let bits):
            let parts = [24, 16, 8, 0].map { String(bits >> UInt32($0) & 255) }
            return "\(parts.joined(separator: ".")):\(port)"
        case .ipv6(let high, let low):
            return "[\(SocketAddress.text(ofIPv6: high, low))]:\(port)"
        }
    }

    func with(port: UInt16) -> SocketAddress {
        SocketAddress(host: host, port: port)
    }

    static func ipv4(_ text: String) -> Host? {
        var address = in_addr()
        guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return .ipv4(UInt32(bigEndian: address.s_addr))
    }

    static func ipv6(_ text: String) -> Host? {
        var words: (UInt64, UInt64) = (0, 0)
        guard inet_pton(AF_INET6, text, &words) == 1 else { return nil }
        return .ipv6(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    private static func text(ofIPv6 high: UInt64, _ low: UInt64) -> String {
        var words = (high.bigEndian, low.bigEndian)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress, inet_ntop(AF_INET6, &words, start, 64) != nil else {
                return "::"
            }
            return String(cString: start)
        }
    }
}

extension SocketAddress {
    /// The family for `socket`.
    var family: Int32 {
        switch host {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }

    /// Calls `body` with the address in the form that `bind` and `connect` take.
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch host {
        case .ipv4(let bits):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = bits.bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .ipv6(let high, let low):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }

    /// Takes an address that a system call writes.
    ///
    /// - Parameter call: returns whether it has written one.
    /// - Returns: nil if it has not, or one of another family.
    static func reading(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
    ) -> SocketAddress? {
        // The larger of the two forms; both begin with the family and the port.
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isRead = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        guard isRead else { return nil }
        return withUnsafeBytes(of: &storage) { bytes in
            let port = UInt16(bigEndian: field(bytes, 2))
            switch Int32(field(bytes, 0) as sa_family_t) {
            case AF_INET:
                return SocketAddress(host: .ipv4(UInt32(bigEndian: field(bytes, 4))), port: port)
            case AF_INET6:
                let high = UInt64(bigEndian: field(bytes, 8))
                let low = UInt64(bigEndian: field(bytes, 16))
                return SocketAddress(host: .ipv6(high: high, low: low), port: port)
            default: return nil
            }
        }
    }

    private static func field<Field: BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Field {
        bytes.loadUnaligned(fromByteOffset: offset, as: Field.self)
    }

    /// The port that the system gave a bound socket.
    static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // Both families keep the port in the same place.
        return result == 0 ? UInt16(bigEndian: storage.sin6_port) : nil
    }
}
