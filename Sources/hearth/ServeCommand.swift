// `hearth serve`: runs the server.

import HearthServer

/// Makes the configuration and hands the process over to the server.
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "runs the server", operands: [], options: ServeOptions.all,
        notes: [
            "SIGTERM or Ctrl-C stops it: what was accepted is finished and synced. SIGHUP reads the "
                + "rules files and the certificate again.",
            "FILE of --config has one 'name = value' a line, with the names of these options "
                + "without dashes; # begins "
                + "a comment. The command line wins.",
        ],
        examples: [
            "hearth serve", "hearth serve --data /var/lib/hearth --rules rules/fire3chat/rules.json",
            "hearth serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let given = try withConfigurationFile(invocation)
        let configuration = try ServeOptions.configuration(given)
        let status: Int32
        do throws(StartFailure) {
            status = try Server.run(configuration) { server in
                given.console.tellWithoutLineEnd(Banner(server, configuration).text)
            }
        } catch {
            throw .failed("\(error)")
        }
        guard status == 0 else { throw .toldAlready }
    }

    /// Adds what stands in the file of `--config` and not on the command line.
    private static func withConfigurationFile(_ invocation: Invocation) throws(CommandFailure) -> Invocation {
        guard let path = invocation.value(of: ServeOptions.config) else { return invocation }
        let text = try SmallFile.read(path, limit: 1 << 20)
        var arguments = invocation.arguments
        arguments.values.merge(
            try ConfigurationFile.parse(text, named: path, for: command),
            uniquingKeysWith: { given, _ in given })
        return Invocation(
            command: invocation.command, arguments: arguments, environment: invocation.environment,
            console: invocation.console)
    }
}
