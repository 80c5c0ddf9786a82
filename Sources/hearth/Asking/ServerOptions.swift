// Where the server is and who asks: the options that all commands which ask a server share.

import Glibc
import HearthClient

/// Declares and reads the connection options.
enum ServerOptions {
    static let defaultURL = "http://127.0.0.1:9000"

    static let url = Option.value(
        "url", "URL",
        "where the server is; else HEARTH_URL, FIREBASE_DATABASE_EMULATOR_HOST, or \(defaultURL)")
    static let token = Option.value(
        "token", "TOKEN",
        "who asks: the administrator's token, or a user's ID token; other users of this machine can "
            + "see it, so "
            + "prefer --token-file or HEARTH_TOKEN")
    static let tokenFile = Option.value("token-file", "FILE", "reads the token from FILE")
    static let adminFrom = Option.value(
        "admin-from", "DIR", "takes the administrator's token out of the data directory DIR of a server here")
    static let authority = Option.value(
        "ca", "FILE", "believes the certificates in FILE alone, instead of those that this machine believes")
    static let namespace = Option.value("ns", "NAME", "which database of the server; 'default' if not given")

    static let all = [url, token, tokenFile, adminFrom, authority, namespace]

    /// The environment variables that count.
    static let variables = [
        "HEARTH_URL", "FIREBASE_DATABASE_EMULATOR_HOST", "HEARTH_TOKEN", "NO_COLOR", "TERM",
    ]

    /// Prepares a client for what was given; where nobody was named who asks, `directory` names the
    /// administrator.
    static func client(
        _ invocation: Invocation, adminFrom directory: String? = nil, wakeDescriptor: Int32? = nil
    ) throws(CommandFailure) -> Client {
        let address = try address(invocation)
        let credentials = try credentials(invocation, orAdminOf: directory)
        guard invocation.command.options.contains(namespace) else {
            // The command is about the server as a whole, or names the database itself.
            let server = ServerAddress(
                host: address.host, port: address.port, isSecure: address.isSecure)
            return Client(
                server, credentials: credentials, trust: try trust(invocation), wakeDescriptor: wakeDescriptor
            )
        }
        return Client(
            address, credentials: credentials, namespace: invocation.value(of: namespace),
            trust: try trust(invocation), wakeDescriptor: wakeDescriptor)
    }

    private static func address(_ invocation: Invocation) throws(CommandFailure) -> ServerAddress {
        let text =
            invocation.value(of: url) ?? invocation.variable("HEARTH_URL")
            ?? invocation.variable("FIREBASE_DATABASE_EMULATOR_HOST") ?? defaultURL
        do throws(ClientError) {
            return try ServerAddress(text)
        } catch {
            throw .misused("\(error)")
        }
    }

    /// Whose certificates count.
    private static func trust(_ invocation: Invocation) throws(CommandFailure) -> Trust {
        guard let file = invocation.value(of: authority) else { return .system }
        let bytes = try SmallFile.read(file, limit: 16 << 20)
        do throws(ClientError) {
            return try Trust(certificates: Array(bytes.utf8), named: file)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func credentials(
        _ invocation: Invocation, orAdminOf directory: String?
    ) throws(CommandFailure) -> Credentials {
        let options = [token, tokenFile, adminFrom].filter { invocation.has($0) }
        guard options.count <= 1 else {
            throw .misused("give only one of \(options.map(\.spelling).joined(separator: ", "))")
        }
        var given = try tokenText(invocation)
        if given == nil, let directory { given = try adminToken(of: directory) }
        guard let text = given else { return .none }
        guard let credentials = Credentials(token: text) else {
            throw .failed(
                "the token is empty or has characters that no token has; look at where it comes from")
        }
        return credentials
    }

    private static func tokenText(_ invocation: Invocation) throws(CommandFailure) -> String? {
        if let text = invocation.value(of: token) { return text }
        if let file = invocation.value(of: tokenFile) { return try readToken(file) }
        if let directory = invocation.value(of: adminFrom) { return try adminToken(of: directory) }
        return invocation.variable("HEARTH_TOKEN")
    }

    /// The administrator's token of the server whose data directory this is.
    static func adminToken(of directory: String) throws(CommandFailure) -> String {
        try readToken(directory + "/admin-token")
    }

    private static func readToken(_ path: String) throws(CommandFailure) -> String {
        String(try SmallFile.read(path, limit: 64 << 10).trimmed)
    }
}

extension Invocation {
    /// An environment variable, nil if it is not set or empty.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
