// What a server says about itself when it is ready.

import HearthServer

/// Where, which data, which rules, how durable, how many, and what to try first.
struct Banner {
    let addresses: [String]
    let isBeyondLoopback: Bool
    /// Where the commands to try ask.
    let commandAddress: String
    let connectionLimit: Int
    let shownToken: String?
    let tokenFile: String?
    /// The project whose accounts are kept.
    let accountProject: String?
    let configuration: Configuration

    /// Describes a server that answers.
    init(_ server: Server, _ configuration: Configuration) {
        let plain = server.plainAddresses.map { "http://\($0)" }
        let scheme = configuration.tls == nil ? "http" : "https"
        addresses = server.addresses.map { "\(scheme)://\($0)" } + plain
        let port = server.addresses.first.map { "\($0.port)" } ?? ""
        let ofCertificate = configuration.publicURL?.description ?? "https://NAME:\(port)"
        let direct = configuration.tls == nil ? addresses.first : plain.first
        commandAddress = direct ?? ofCertificate
        isBeyondLoopback = server.addresses.contains { !$0.isLoopback }
        connectionLimit = server.connectionLimit
        shownToken = server.shownToken
        tokenFile = server.tokenFile
        accountProject = server.accountProject
        self.configuration = configuration
    }

    /// All lines, each with its end.
    var text: String {
        var lines = [
            "hearth listens on \(addresses.joined(separator: " and "))",
            "  data      \(data)",
            "  rules     \(rules)",
            "  durable   \(durability)",
            "  room      for \(Quantities.count(connectionLimit, "connection")) at once",
            "  admin     \(administrator)",
        ]
        lines += sdkLines
        if let accountProject { lines.append("  accounts  of the project \(accountProject); \(mails)") }
        if configuration.isEmulator {
            lines.append(
                "  warning   as an emulator it believes everybody"
                    + (isBeyondLoopback ? ", and other machines reach it" : ""))
        }
        if let tls = configuration.tls {
            lines.append("  tls       with the certificate in \(tls.certificateFile)")
        } else if isBeyondLoopback, configuration.proxies.isEmpty {
            lines.append(
                "  warning   other machines reach it, and without TLS whoever is on the way reads along")
        }
        if let path = configuration.publicDirectory {
            lines.insert("  public    \(path) at \(addresses.first ?? ServerOptions.defaultURL)/", at: 3)
        }
        lines.append("try")
        return (lines + commands).joined(separator: "\n") + "\n"
    }

    private var data: String {
        switch configuration.storage {
        case .directory(let path): path
        case .ephemeral: "in memory alone; nothing outlives this process"
        }
    }

    private var rules: String {
        guard configuration.rulesFiles.isEmpty else {
            return configuration.rulesFiles.sorted { $0.key < $1.key }.map { "\($0.key) from \($0.value)" }
                .joined(separator: ", ")
        }
        return configuration.isEmulator
            ? "none; open to the programs of this machine, as an emulator"
            : isBeyondLoopback
                ? "as stored in the database; without any it is locked for other machines"
                : "as stored in the database; without any it is open to the programs of this machine alone"
    }

    /// How an app's SDK is pointed at the server: by its configuration, or by the environment.
    private var sdkLines: [String] {
        guard let first = addresses.first, let range = first.firstRange(of: "://") else { return [] }
        let host = first[range.upperBound...]
        let parts = host.split(separator: ":")
        var lines = ["  sdk       databaseURL \(first)?ns=default"]
        if parts.count == 2 {
            lines.append("            connectDatabaseEmulator(db, \"\(parts[0])\", \(parts[1]))")
        }
        return lines + ["            FIREBASE_DATABASE_EMULATOR_HOST=\(host)"]
    }

    private var mails: String {
        guard !configuration.isEmulator else { return "as in the official emulator, for tests alone" }
        guard configuration.accounts.mailCommand.isEmpty else {
            return "mails go to \(configuration.accounts.mailCommand[0])"
        }
        guard case .directory(let path) = configuration.storage else { return "mails are not sent" }
        return "mails lie in \(path)/outbox"
    }

    private var durability: String {
        switch (configuration.storage, configuration.durability) {
        case (.ephemeral, _): "not at all"
        case (_, .always): "what is acknowledged is on the disk"
        case (_, .interval(let interval)):
            "what was acknowledged in the last \(Banner.milliseconds(interval)) ms may be lost in a crash"
        }
    }

    private var administrator: String {
        if configuration.isEmulator { return "--token owner" }
        if let shownToken { return "--token \(shownToken)  (told only once)" }
        if configuration.adminTokenFile == nil, case .directory(let path) = configuration.storage {
            return "--admin-from \(path)"
        }
        return tokenFile.map { "--token-file \($0)" } ?? "nobody"
    }

    /// Commands that work as they stand, on whichever port; NAME is the one in the certificate.
    private var commands: [String] {
        let isUsual = addresses.contains(ServerOptions.defaultURL)
        let url = isUsual ? "" : " --url \(commandAddress)"
        return [
            "  hearth set /rooms/lobby/topic --data '\"hello\"'\(url)",
            "  hearth push /rooms/lobby/messages --data '{\"username\":\"ann\",\"message\":\"hi\"}'\(url)",
            "  hearth watch /rooms/lobby/messages\(url)",
        ]
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}
