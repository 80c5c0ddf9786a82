// The program as a whole: finds the command, reads its arguments, runs it, and says how it ended.

import Glibc

/// From the command line to the exit status.
enum Program {
    /// All commands, in the order of the help.
    static let commands: [Command] = [
        ServeCommand.command, GetCommand.command, SetCommand.command, PushCommand.command,
        UpdateCommand.command,
        RemoveCommand.command, WatchCommand.command, ImportCommand.command, ExportCommand.command,
        NamespacesCommand.command, RulesCommand.command, UsersCommand.command, CheckCommand.command,
        RecoverCommand.command,
        PurgeCommand.command,
        BackupCommand.command, RestoreCommand.command, VersionCommand.command, HelpCommand.command,
    ]

    /// Runs what the process was called with and returns its exit status.
    static func run() -> Int32 {
        // A reader that went away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        var environment: [String: String] = [:]
        for name in ServerOptions.variables {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return run(
            Array(CommandLine.arguments.dropFirst()), environment: environment,
            console: Console.ofProcess(environment: environment))
    }

    /// Runs `words` and returns the exit status.
    static func run(_ words: [String], environment: [String: String], console: Console) -> Int32 {
        do throws(CommandFailure) {
            try start(words, environment: environment, console: console)
            return 0
        } catch {
            if let message = error.message { console.tell("hearth: " + message) }
            return error.exitStatus
        }
    }

    private static func start(
        _ words: [String], environment: [String: String], console: Console
    ) throws(CommandFailure) {
        guard let name = words.first else {
            console.tellWithoutLineEnd(Help.overview(of: commands))
            throw .misused("a command is missing")
        }
        let command = try command(named: name)
        let arguments = try ArgumentParser.parse(Array(words.dropFirst()), of: command)
        guard !arguments.asksForHelp else {
            return try console.printBytes(Array(Help.text(of: command).utf8))
        }
        try command.run(
            Invocation(command: command, arguments: arguments, environment: environment, console: console))
    }

    /// Finds a command; `--help`, `-h` and `--version` are taken for the words without dashes.
    static func command(named name: String) throws(CommandFailure) -> Command {
        let word = ["--help": "help", "-h": "help", "--version": "version"][name] ?? name
        if let command = commands.first(where: { $0.name == word }) { return command }
        let near = Suggestion.nearest(to: name, among: commands.map(\.name))
        throw .misused(
            "unknown command '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
                + "; 'hearth help' shows what there is")
    }
}
