// How many connections each address has, so that one client cannot take them all.
import Glibc
import Synchronization

/// Who is at the other end of a connection, as far as connections are counted together.
enum Visitor: Hashable, Sendable {
    case ipv4(UInt32)
    /// The first 64 bits: whoever has one address of such a network has them all.
    case ipv6(network: UInt64)
    /// A program of this machine.
    case loopback

    init(_ host: SocketAddress.Host) {
        switch host.canonical {
        case _ where SocketAddress(host: host, port: 0).isLoopback: self = .loopback
        case .ipv4(let bits): self = .ipv4(bits)
        case .ipv6(let high, _): self = .ipv6(network: high)
        }
    }
}

/// Counts the connections of each address over all loops. A leaf lock, taken when a connection comes and
/// goes, and by none whose address has no limit.
final class Visitors: Sendable {
    /// How many connections an address beyond this machine has at most, unless told otherwise.
    static let usualLimit = 1_000

    private let limit: Int?
    private let counts = Mutex<[Visitor: Int]>([:])

    /// - Parameter limit: for each address; nil for the usual one, which leaves this machine's programs out.
    init(limit: Int?) {
        self.limit = limit
    }

    /// How many connections a visitor may have; nil without a bound.
    func limit(of visitor: Visitor) -> Int? {
        limit ?? (visitor == .loopback ? nil : Visitors.usualLimit)
    }

    /// Counts one connection more, or returns false when there are as many as may be.
    func enter(_ visitor: Visitor) -> Bool {
        guard let limit = limit(of: visitor) else { return true }
        return counts.withLock { counts in
            let count = counts[visitor, default: 0]
            guard count < limit else { return false }
            counts[visitor] = count + 1
            return true
        }
    }

    /// Counts one connection less.
    func leave(_ visitor: Visitor) {
        guard limit(of: visitor) != nil else { return }
        counts.withLock { counts in
            guard let count = counts[visitor] else { preconditionFailure("nobody leaves who has not come") }
            counts[visitor] = count > 1 ? count - 1 : nil
        }
    }

    /// How many addresses have connections that are counted.
    var count: Int { counts.withLock { $0.count } }
}
