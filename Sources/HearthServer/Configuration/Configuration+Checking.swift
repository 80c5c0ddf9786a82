// What a configuration must not ask for.

extension Configuration {
    /// Finds what cannot be or must not be, before anything is opened.
    ///
    /// - Throws: `StartFailure.configuration` with what to do instead.
    func check() throws(StartFailure) {
        if isEmulator, !allowsEmulatorBeyondLoopback,
            let open = addresses.first(where: { !$0.isLoopback })
        {
            throw .configuration(
                """
                refusing to listen on \(open) as an emulator: everybody who reaches that address is believed
                whoever he says he is. Leave --emulator out and store rules; or, where only friends reach
                the address, say so with --emulator-beyond-loopback
                """)
        }
        try checkDoors()
        if let name = rulesFiles.keys.first(where: { !Namespaces.isName($0) }) {
            throw .configuration(
                "--rules: '\(name)' cannot be the name of a database; it has letters, digits, '-' and '_'")
        }
        if let count = loopCount, !(1...64).contains(count) {
            throw .configuration("there can be 1 to 64 loops, not \(count)")
        }
        if !(64 << 10...1 << 30).contains(segmentBytes) {
            throw .configuration("the files of the journal can have 64 kB to 1 GB, not \(segmentBytes) bytes")
        }
        if !(64 << 10...1 << 40).contains(checkpointBytes) {
            throw .configuration(
                "a checkpoint can come after 64 kB to 1 TB of journal, not \(checkpointBytes) bytes")
        }
        if let count = limits.connectionsPerAddress, count < 1 {
            throw .configuration("an address can have 1 connection or more at once, not \(count)")
        }
        if let bytes = limits.memoryBytes, bytes < 16 << 20 {
            throw .configuration(
                "--max-memory: an empty server alone needs 16 MB, so \(bytes) bytes are too few")
        }
        if timeouts.realtime < .seconds(1) {
            throw .configuration("a client must be let silent for a second at least, or none would stay")
        }
        if case .interval(let duration) = durability, duration <= .zero || duration > .seconds(60) {
            throw .configuration("the sync interval must be more than 0 and at most 60 s; or sync always")
        }
    }

    /// Finds what must not be on the sockets.
    private func checkDoors() throws(StartFailure) {
        guard let plain = plainAddresses.first else { return }
        if tls == nil {
            throw .configuration(
                "--plain-listen \(plain) is for plain HTTP beside TLS; without --tls-cert use --listen")
        }
        if let open = plainAddresses.first(where: { !$0.isLoopback }), proxies.isEmpty {
            throw .configuration(
                """
                refusing to speak plain HTTP on \(open) beside TLS: whoever is on the way could read along. \
                Choose a loopback address as 127.0.0.1:\(open.port); or, where a proxy that ends TLS \
                asks there, name it with --behind-proxy
                """)
        }
        if let shared = plainAddresses.first(where: { $0.port != 0 && addresses.contains($0) }) {
            throw .configuration("\(shared) is given to --listen and to --plain-listen; choose another port")
        }
    }
}
