// The options of `serve`, and the configuration that they make.

import HearthServer

/// Declares and reads what decides how a server behaves.
enum ServeOptions {
    static let data = Option.value("data", "DIR", "keeps the data in DIR; ./hearth-data if not given")
    static let listen = Option.value(
        "listen", "HOST:PORT", "where to listen; may be repeated; 127.0.0.1:9000 and [::1]:9000 if not given",
        isRepeatable: true)
    static let certificate = Option.value(
        "tls-cert", "FILE",
        "speaks TLS with the certificates in FILE, the server's own first; read again when it changes")
    static let key = Option.value("tls-key", "FILE", "the private key of the certificate, as PEM")
    static let plainListen = Option.value(
        "plain-listen", "HOST:PORT",
        "where to speak plain HTTP beside TLS, on a loopback address; may be repeated", isRepeatable: true)
    static let behindProxy = Option.value(
        "behind-proxy", "ADDRESS",
        "a proxy at ADDRESS ends TLS and says for whom it asks; may be repeated", isRepeatable: true)
    static let publicURL = Option.value(
        "public-url", "URL",
        "where clients reach it, as https://chat.example: for links in mails, and if their requests do not "
            + "name it")
    static let rules = Option.value(
        "rules", "FILE", "takes the rules from FILE, or NS=FILE for one database; may be repeated",
        isRepeatable: true)
    static let publicFiles = Option.value(
        "public", "DIR", "lets everybody read the files in DIR, a web app for instance")
    static let emulator = Option.flag(
        "emulator", "takes any bearer token 'owner' as administrator and makes databases as they are named")
    static let emulatorBeyond = Option.flag(
        "emulator-beyond-loopback", "lets an emulator listen where other machines reach it")
    static let ephemeral = Option.flag(
        "ephemeral", "keeps everything in memory alone; nothing outlives the process")
    static let sync = Option.value(
        "sync", "WHEN",
        "'always' acknowledges what is on the disk; 'interval=50ms' may lose that much in a crash")
    static let loops = Option.value(
        "loops", "N", "shares the connections among N threads; one per core if not given")
    static let adminTokenFile = Option.value(
        "admin-token-file", "FILE", "keeps the administrator's token in FILE instead of DIR/admin-token")
    static let allowOrigin = Option.value(
        "allow-origin", "ORIGIN", "lets pages of ORIGIN ask, as https://chat.example; may be repeated",
        isRepeatable: true)
    static let allowHost = Option.value(
        "allow-host", "NAME", "lets requests carry NAME as their host; may be repeated", isRepeatable: true)
    static let project = Option.value("project", "ID", "the project that users' tokens must be meant for")
    static let issuer = Option.value(
        "issuer", "NAME", "who makes users' tokens; https://securetoken.google.com/ID if not given")
    static let jwks = Option.value(
        "jwks", "FILE", "takes users' tokens that are signed with the public keys in FILE")
    static let secretFile = Option.value(
        "hs256-secret-file", "FILE", "takes users' tokens that are signed with the secret in FILE")
    static let legacySecretFile = Option.value(
        "legacy-secret-file", "FILE", "takes legacy tokens that are signed with the secret in FILE")
    static let history = Option.value(
        "history", "SIZE", "how much of the past is kept for streams that resume; 64MB if not given")
    static let segment = Option.value(
        "segment", "SIZE", "how large the files of the journal are made; 32MB if not given")
    static let checkpoint = Option.value(
        "checkpoint", "SIZE", "writes a checkpoint after so much new journal; 64MB if not given")
    static let maxBody = Option.value("max-body", "SIZE", "the longest write over REST; 256MB if not given")
    static let maxFile = Option.value("max-file", "SIZE", "the longest uploaded file; 16MB if not given")
    static let filesQuota = Option.value(
        "files-quota", "SIZE", "what all uploaded files may have together; 1GB if not given")
    static let maxMemory = Option.value(
        "max-memory", "SIZE", "takes no more data beyond it; 80 % of what the system allows if not given")
    static let maxConnections = Option.value(
        "max-connections", "N", "connections at once; as many as the descriptors allow if not given")
    static let maxPerAddress = Option.value(
        "max-connections-per-address", "N",
        "connections of one address; 1000, on loopback any number, if not given")
    static let maxNamespaces = Option.value("max-namespaces", "N", "databases in all; 10000 if not given")
    static let clientSilence = Option.value(
        "client-silence", "SECONDS",
        "how long an SDK's client may give no sign of life before it is gone; 60 if not given")
    static let log = Option.value("log", "LEVEL", "debug, info, warning or error; info if not given")
    static let config = Option.value("config", "FILE", "reads options from FILE")

    static let all =
        [
            data, listen, certificate, key, plainListen, behindProxy, publicURL, rules, publicFiles, project,
            issuer, jwks, secretFile, legacySecretFile, emulator, emulatorBeyond, ephemeral, sync, loops,
            adminTokenFile, allowOrigin, allowHost, history, segment, checkpoint, maxBody, maxFile,
            filesQuota, maxMemory, maxConnections, maxPerAddress, maxNamespaces, clientSilence, log,
            config,
        ] + AccountOptions.all

    /// What the options say.
    static func configuration(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        var configuration = Configuration()
        configuration.storage = try storage(invocation)
        configuration.durability = try durability(invocation.value(of: sync) ?? "always")
        configuration.isEmulator = invocation.has(emulator)
        configuration.allowsEmulatorBeyondLoopback = invocation.has(emulatorBeyond)
        configuration.publicDirectory = invocation.value(of: publicFiles)
        configuration.tokens = tokens(invocation)
        configuration.accounts = try AccountOptions.accounts(invocation)
        configuration.loopCount = try invocation.integer(of: loops, in: 1...64)
        configuration.adminTokenFile = invocation.value(of: adminTokenFile)
        configuration.allowedOrigins = invocation.values(of: allowOrigin)
        configuration.allowedHosts = invocation.values(of: allowHost)
        configuration.rulesFiles = try rulesFiles(invocation.values(of: rules))
        if invocation.has(listen) { configuration.addresses = try addresses(of: listen, invocation) }
        configuration.plainAddresses = try addresses(of: plainListen, invocation)
        configuration.tls = try tls(invocation)
        configuration.proxies = try proxies(invocation.values(of: behindProxy))
        configuration.publicURL = try publicURL(invocation.value(of: publicURL))
        if let bytes = try size(of: history, invocation) { configuration.historyByteLimit = bytes }
        if let bytes = try size(of: segment, invocation) { configuration.segmentBytes = bytes }
        if let bytes = try size(of: checkpoint, invocation) { configuration.checkpointBytes = bytes }
        if let bytes = try size(of: maxBody, invocation) { configuration.limits.bodyBytes = bytes }
        if let bytes = try size(of: maxFile, invocation) { configuration.limits.fileBytes = bytes }
        if let bytes = try size(of: filesQuota, invocation) { configuration.limits.allFileBytes = bytes }
        configuration.limits.memoryBytes = try size(of: maxMemory, invocation)
        configuration.limits.connections = try invocation.integer(of: maxConnections, in: 1...10_000_000)
        configuration.limits.connectionsPerAddress = try invocation.integer(
            of: maxPerAddress, in: 1...10_000_000)
        if let count = try invocation.integer(of: maxNamespaces, in: 1...1_000_000) {
            configuration.limits.namespaces = count
        }
        if let seconds = try invocation.integer(of: clientSilence, in: 2...86_400) {
            configuration.timeouts.realtime = .seconds(seconds)
        }
        configuration.log = Log(threshold: try level(invocation.value(of: log) ?? "info"))
        return configuration
    }

    private static func storage(_ invocation: Invocation) throws(CommandFailure) -> Configuration.Storage {
        guard invocation.has(ephemeral) else {
            return .directory(invocation.value(of: data) ?? "hearth-data")
        }
        guard !invocation.has(data) else { throw .misused("give only one of --data and --ephemeral") }
        guard !invocation.has(sync) else { throw .misused("--sync means nothing with --ephemeral") }
        return .ephemeral
    }

    private static func tokens(_ invocation: Invocation) -> Configuration.Tokens {
        var tokens = Configuration.Tokens()
        tokens.project = invocation.value(of: project)
        tokens.issuer = invocation.value(of: issuer)
        tokens.publicKeysFile = invocation.value(of: jwks)
        tokens.secretFile = invocation.value(of: secretFile)
        tokens.legacySecretFile = invocation.value(of: legacySecretFile)
        return tokens
    }

    private static func addresses(
        of option: Option, _ invocation: Invocation
    ) throws(CommandFailure) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for text in invocation.values(of: option) {
            do throws(StartFailure) {
                addresses += try SocketAddress.parse(text)
            } catch {
                throw .misused("\(option.spelling): \(error)")
            }
        }
        return addresses
    }

    private static func tls(_ invocation: Invocation) throws(CommandFailure) -> Configuration.TLS? {
        switch (invocation.value(of: certificate), invocation.value(of: key)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return Configuration.TLS(certificateFile: certificate, keyFile: key)
        case (nil, .some): throw .misused("--tls-key needs its certificate: --tls-cert FILE")
        case (.some, nil): throw .misused("--tls-cert needs its private key: --tls-key FILE")
        }
    }

    private static func publicURL(_ text: String?) throws(CommandFailure) -> PublicURL? {
        guard let text else { return nil }
        do throws(StartFailure) {
            return try PublicURL(text)
        } catch {
            throw .misused("\(publicURL.spelling): \(error)")
        }
    }

    private static func proxies(_ texts: [String]) throws(CommandFailure) -> [PeerAddress] {
        var proxies: [PeerAddress] = []
        for text in texts {
            do throws(StartFailure) {
                proxies.append(try PeerAddress(text))
            } catch {
                throw .misused("\(behindProxy.spelling): \(error)")
            }
        }
        return proxies
    }

    private static func rulesFiles(_ texts: [String]) throws(CommandFailure) -> [String: String] {
        var files: [String: String] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.count == 2 ? String(parts[0]) : "default"
            let path = String(parts[parts.count - 1])
            guard !name.isEmpty, !path.isEmpty else {
                throw .misused("--rules is FILE or NS=FILE, not '\(text)'")
            }
            guard files.updateValue(path, forKey: name) == nil else {
                throw .misused("--rules names two files for the database \(name)")
            }
        }
        return files
    }

    /// `always`, or `interval=50ms`.
    static func durability(_ text: String) throws(CommandFailure) -> Configuration.Durability {
        if text == "always" { return .always }
        let prefix = "interval="
        guard text.hasPrefix(prefix), let interval = duration(text.dropFirst(prefix.count)) else {
            throw .misused("--sync is 'always' or like 'interval=50ms', not '\(text)'")
        }
        return .interval(interval)
    }

    /// `50ms` or `2s`, more than nothing and at most an hour.
    private static func duration(_ text: Substring) -> Duration? {
        let digits = text.prefix(while: \.isASCIIDigit)
        guard let number = Int(digits), number > 0 else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms" where number <= 3_600_000: return .milliseconds(number)
        case "s" where number <= 3_600: return .seconds(number)
        default: return nil
        }
    }

    private static func size(of option: Option, _ invocation: Invocation) throws(CommandFailure) -> Int? {
        guard let text = invocation.value(of: option) else { return nil }
        guard let bytes = size(text) else {
            throw .misused("\(option.spelling) is a size like 64MB or 2GB, not '\(text)'")
        }
        return bytes
    }

    /// `500000`, `64kB`, `64MB`, `2GB`; powers of 1,024, at least 1 byte.
    static func size(_ text: String) -> Int? {
        let digits = text.prefix(while: \.isASCIIDigit)
        let shifts = [
            "": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40,
        ]
        guard let number = Int(digits), number > 0,
            let shift = shifts[text.dropFirst(digits.count).lowercased()], number <= Int.max >> shift
        else { return nil }
        return number << shift
    }

    private static func level(_ text: String) throws(CommandFailure) -> Log.Level {
        switch text {
        case "debug": return .debug
        case "info": return .info
        case "warning": return .warning
        case "error": return .error
        default: throw .misused("--log is debug, info, warning or error, not '\(text)'")
        }
    }
}
