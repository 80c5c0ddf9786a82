// Finds the addresses of a host and connects to the first that accepts.

import Glibc

/// Turns an address into a connected, non-blocking socket.
enum SocketOpening {
    /// Returns the descriptor, which the caller closes.
    static func connect(_ opening: Connection.Opening) throws(ClientError) -> Int32 {
        let server = opening.address.description
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(opening.address.host, String(opening.address.port), &hints, &found)
        guard code == 0, let first = found else {
            let reason = gai_strerror(code).map { String(cString: $0) } ?? "the name cannot be resolved"
            throw .unreachable(
                server: server, code: nil, reason: reason.prefix(1).lowercased() + reason.dropFirst())
        }
        defer { freeaddrinfo(first) }
        return try connect(toOneOf: first, opening)
    }

    private static func connect(
        toOneOf first: UnsafeMutablePointer<addrinfo>, _ opening: Connection.Opening
    ) throws(ClientError) -> Int32 {
        var next: UnsafeMutablePointer<addrinfo>? = first
        var lastError: ClientError?
        while let address = next?.pointee {
            do throws(ClientError) {
                return try connect(to: address, opening)
            } catch {
                if case .interrupted = error { throw error }
                lastError = error
            }
            next = address.ai_next
        }
        throw lastError ?? .unreachable(opening.address.description, code: EADDRNOTAVAIL)
    }

    private static func connect(
        to address: addrinfo, _ opening: Connection.Opening
    ) throws(ClientError) -> Int32 {
        let server = opening.address.description
        let kind = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { throw .unreachable(server, code: errno) }
        var isConnected = false
        defer { if !isConnected { close(descriptor) } }
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { throw .unreachable(server, code: errno) }
            try finish(descriptor, opening)
        }
        var on: Int32 = 1
        // Only a matter of speed, so that a failure does not matter.
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        isConnected = true
        return descriptor
    }

    private static func finish(_ descriptor: Int32, _ opening: Connection.Opening) throws(ClientError) {
        let server = opening.address.description
        var waiting = Waiting(
            server: server, step: .connecting, patience: opening.connectTimeout,
            wakeDescriptor: opening.wakeDescriptor)
        _ = try waiting.wait(for: [(descriptor, POLLOUT)])
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            throw .unreachable(server, code: errno)
        }
        guard code == 0 else { throw .unreachable(server, code: code) }
    }
}
