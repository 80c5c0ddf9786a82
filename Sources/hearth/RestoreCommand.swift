// `hearth restore`: a data directory from a backup.

import HearthServer
import HearthStorage

/// Makes a new directory; an existing one is never written into.
enum RestoreCommand {
    static let command = Command(
        name: "restore", summary: "makes a data directory from a backup",
        operands: [
            .required("FILE", "a file made by 'hearth backup'"),
            .required("DIR", "the directory to make; it must be empty or missing"),
        ],
        options: [],
        notes: [
            "Streams that resume get the present state, since cursors of before may know more. What "
                + "is in it is printed "
                + "as NAMESPACE:REVISION."
        ],
        examples: ["hearth restore chat.backup restored-data"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let file = try FileLocation(invocation.requiredOperand(0))
        let directory = invocation.requiredOperand(1)
        let summary: Backup.Summary
        do throws(StorageFailure) {
            summary = try Backup.restore(
                file.name, on: SystemDisk(file.directory), to: SystemDisk(directory),
                random: SystemRandomNumberGenerator())
        } catch {
            throw CommandFailure(error)
        }
        for line in StoppedDirectory.list(summary.revisions) { try invocation.console.print(line) }
        invocation.console.tell("restored; 'hearth serve --data \(directory)' serves it")
    }
}
