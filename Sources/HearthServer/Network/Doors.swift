// All the sockets on which connections come: those of `Configuration.addresses` and the plain ones beside
// TLS.

/// The listening sockets of one server, for each loop, with what is spoken on them.
struct Doors: ~Copyable {
    /// Where TLS is spoken if there is a certificate, and plain HTTP if not.
    let addresses: [SocketAddress]
    /// Where plain HTTP is spoken beside TLS.
    let plainAddresses: [SocketAddress]
    private let isSecure: Bool
    private var main: Listener
    private var plain: Listener

    /// Opens everything that the configuration asks for.
    ///
    /// - Throws: `StartFailure`; nothing stays open then.
    init(_ configuration: Configuration, loopCount: Int) throws(StartFailure) {
        guard !configuration.addresses.isEmpty else {
            throw .configuration("no address to listen on; give --listen HOST:PORT")
        }
        let main = try Listener(configuration.addresses, loopCount: loopCount)
        let plain = try Listener(configuration.plainAddresses, loopCount: loopCount)
        self.init(main: main, plain: plain, isSecure: configuration.tls != nil)
    }

    private init(main: consuming Listener, plain: consuming Listener, isSecure: Bool) {
        addresses = main.addresses
        plainAddresses = plain.addresses
        self.isSecure = isSecure
        self.main = main
        self.plain = plain
    }

    /// Hands the sockets of one loop over to it.
    mutating func take(loop index: Int) -> [ListeningSocket] {
        var sockets = zip(main.take(loop: index), addresses).map { number, address in
            ListeningSocket(number: number, isLocal: address.isLoopback, isSecure: isSecure)
        }
        let others = plain.take(loop: index)
        sockets += zip(others, plainAddresses).map { number, address in
            ListeningSocket(number: number, isLocal: address.isLoopback, isSecure: false)
        }
        return sockets
    }

    /// Warns where whoever is on the way can read along.
    func warn(_ configuration: Configuration) {
        guard !isSecure, configuration.proxies.isEmpty,
            let open = addresses.first(where: { !$0.isLoopback })
        else { return }
        configuration.log.warning(
            "listening beyond this machine without TLS; whoever is on the way can read along",
            ("address", "\(open)"),
            (
                "advice",
                "give --tls-cert and --tls-key; or, for a proxy that ends TLS, --behind-proxy ADDRESS"
            ))
    }
}
