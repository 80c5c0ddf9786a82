// `hearth backup`: a consistent copy of all databases, while the server runs or after it has stopped.

import HearthClient
import HearthServer
import HearthStorage
import HearthWire

/// Asks the server that has the directory open, or reads the directory itself.
enum BackupCommand {
    static let command = Command(
        name: "backup",
        summary: "writes a consistent copy of all databases to a file, while the "
            + "server runs or not",
        operands: [StoppedDirectory.operand, .required("FILE", "the backup, replaced in one step")],
        options: ServerOptions.all.filter { $0 != ServerOptions.namespace },
        notes: [
            "A server that has DIR open is asked at its URL, with the administrator's token out of "
                + "DIR if none is "
                + "given. What is in it is printed as NAMESPACE:REVISION."
        ],
        examples: ["hearth backup hearth-data chat.backup"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let directory = invocation.requiredOperand(0)
        let path = invocation.requiredOperand(1)
        let file = try FileLocation(path)
        if try StoppedDirectory.holder(of: directory) != nil {
            try ask(directory, path, invocation)
        } else {
            try write(directory, file)
        }
        try report(path, file, invocation.console)
    }

    private static func write(_ directory: String, _ file: FileLocation) throws(CommandFailure) {
        do throws(StorageFailure) {
            _ = try Backup.write(
                SystemDisk(directory), to: file.name, on: SystemDisk(file.directory),
                random: SystemRandomNumberGenerator())
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func ask(
        _ directory: String, _ path: String, _ invocation: Invocation
    ) throws(CommandFailure) {
        let client = try ServerOptions.client(invocation, adminFrom: directory)
        let output = try OutputFile(path)
        var progress = Progress("backup", total: nil, on: invocation.console)
        defer { progress.finish() }
        let request = ClientRequest(
            .get, RequestTarget(path: "/.settings/backup.json"), patience: .seconds(3_600))
        _ = try client.ask(request) { (bytes: UnsafeRawBufferPointer) throws(ClientError) in
            try output.take(bytes)
            progress.update(output.byteCount)
        }
        try output.finish()
    }

    /// Reads the backup back, so that what is said about it is known.
    private static func report(
        _ path: String, _ file: FileLocation, _ console: Console
    ) throws(CommandFailure) {
        let summary: Backup.Summary
        do throws(StorageFailure) {
            summary = try Backup.check(file.name, on: SystemDisk(file.directory))
        } catch {
            throw CommandFailure(error)
        }
        for line in StoppedDirectory.list(summary.revisions) { try console.print(line) }
        console.tell("\(path) holds \(Quantities.size(summary.byteCount))\(StoppedDirectory.files(summary))")
    }
}
