// Opens the ports: one listening socket per loop and address, all on the same port, and refuses a second
// server.
import CLinux
import Glibc

/// The listening sockets of one server.
///
/// A probe that binds without sharing comes first: were the sockets shared at once, a second server could
/// quietly take half of the first one's connections.
struct Listener: ~Copyable {
    /// For each loop its descriptors, in the order of `addresses`; whoever runs the loop closes them.
    private var descriptors: [[Int32]]
    /// The addresses with the ports that were really taken.
    let addresses: [SocketAddress]

    /// Opens every address once for each of `loopCount` loops.
    ///
    /// Port 0 takes one free port for all addresses that ask so. An IPv6 address is left out when the machine
    /// has no IPv6, as long as another address remains.
    ///
    /// - Throws: `StartFailure.address` with the reason; nothing stays open then.
    init(_ wanted: [SocketAddress], loopCount: Int) throws(StartFailure) {
        var opened: [SocketAddress] = []
        var sockets: [[Int32]] = Array(repeating: [], count: loopCount)
        var chosenPort: UInt16 = 0
        do throws(StartFailure) {
            for address in wanted {
                let concrete = address.port == 0 ? address.with(port: chosenPort) : address
                if Listener.isMissingFamily(address), wanted.count > 1 { continue }
                let port = try Listener.probe(concrete)
                if address.port == 0 { chosenPort = port }
                let final = address.with(port: port)
                for loop in 0..<loopCount {
                    sockets[loop].append(try Listener.open(final))
                }
                opened.append(final)
            }
        } catch {
            for number in sockets.joined() { _ = close(number) }
            throw error
        }
        guard !opened.isEmpty || wanted.isEmpty else {
            throw .configuration("no address to listen on; give --listen HOST:PORT")
        }
        addresses = opened
        descriptors = sockets
    }

    /// Hands the sockets of one loop over to it.
    mutating func take(loop index: Int) -> [Int32] {
        defer { descriptors[index] = [] }
        return descriptors[index]
    }

    deinit {
        for number in descriptors.joined() { _ = close(number) }
    }

    /// Binds alone and lets go again, so that a port in use is noticed.
    private static func probe(_ address: SocketAddress) throws(StartFailure) -> UInt16 {
        do throws(SystemFailure) {
            let socket = try Socket.makeStream(family: address.family)
            try prepare(socket.number, address, shared: false)
            try bind(socket.number, to: address)
            guard let port = SocketAddress.port(of: socket.number) else { throw SystemFailure("getsockname") }
            return port
        } catch {
            throw failure(address, error)
        }
    }

    private static func open(_ address: SocketAddress) throws(StartFailure) -> Int32 {
        do throws(SystemFailure) {
            let number = socket(
                address.family,
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard number >= 0 else { throw SystemFailure("socket") }
            do throws(SystemFailure) {
                try prepare(number, address, shared: true)
                try bind(number, to: address)
                guard listen(number, 4096) == 0 else { throw SystemFailure("listen") }
                return number
            } catch {
                _ = close(number)
                throw error
            }
        } catch {
            throw failure(address, error)
        }
    }

    private static func prepare(_ number: Int32, _ address: SocketAddress, shared: Bool) throws(SystemFailure)
    {
        // Connections of an earlier run that linger in the system must not keep the port.
        try Socket.setOption(number, SOL_SOCKET, SO_REUSEADDR)
        if shared { try Socket.setOption(number, SOL_SOCKET, SO_REUSEPORT) }
        if address.family == AF_INET6 { try Socket.setOption(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    }

    private static func bind(_ number: Int32, to address: SocketAddress) throws(SystemFailure) {
        let result = address.withSystemAddress { Glibc.bind(number, $0, $1) }
        guard result == 0 else { throw SystemFailure("bind") }
    }

    private static func isMissingFamily(_ address: SocketAddress) -> Bool {
        guard address.family == AF_INET6 else { return false }
        let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { return errno == EAFNOSUPPORT }
        defer { _ = close(number) }
        let probe = address.with(port: 0).withSystemAddress { Glibc.bind(number, $0, $1) }
        return probe != 0 && errno == EADDRNOTAVAIL
    }

    private static func failure(_ address: SocketAddress, _ error: SystemFailure) -> StartFailure {
        switch error.code {
        case EADDRINUSE:
            .address(
                address, reason: "the port is in use, perhaps by another server; choose one by --listen")
        case EACCES:
            .address(address, reason: "ports below 1024 need a privilege; choose a higher one with --listen")
        case EADDRNOTAVAIL:
            .address(
                address, reason: "this machine has no such address; 'ip address' shows which it has")
        default:
            .address(address, reason: "\(error)")
        }
    }
}
