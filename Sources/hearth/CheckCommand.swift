// `hearth check`: whether every byte of a data directory, or of a backup, is sound.

import Glibc
import HearthServer
import HearthStorage

/// Reads everything and writes nothing.
enum CheckCommand {
    static let command = Command(
        name: "check",
        summary: "reads a data directory or a backup and says whether every byte of "
            + "it is sound",
        operands: [
            .required(
                "DIR",
                "a data directory that no server has open, or a file made by "
                    + "'hearth backup'")
        ],
        options: [],
        notes: [
            "Nothing is opened for writing. What is sound is printed as NAMESPACE:REVISION. The "
                + "exit status is 1 when "
                + "something is damaged; 'hearth recover' then opens the directory without it."
        ],
        examples: ["hearth check hearth-data"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let path = invocation.requiredOperand(0)
        var status = stat()
        guard stat(path, &status) == 0 else { throw .failed("cannot read \(path): \(systemMessage(errno))") }
        guard status.st_mode & S_IFMT == S_IFDIR else { return try checkBackup(path, invocation.console) }
        if let process = try StoppedDirectory.holder(of: path) {
            throw .failed(
                "process \(process) has \(path) open and writes to it, so that it cannot be told "
                    + "what is damaged; "
                    + "stop it first, or take a backup of it and check that")
        }
        try checkDirectory(path, invocation.console)
    }

    private static func checkBackup(_ path: String, _ console: Console) throws(CommandFailure) {
        let file = try FileLocation(path)
        let summary: Backup.Summary
        do throws(StorageFailure) {
            summary = try Backup.check(file.name, on: SystemDisk(file.directory))
        } catch {
            throw CommandFailure(error)
        }
        for line in StoppedDirectory.list(summary.revisions) { try console.print("sound \(line)") }
        let size = Quantities.size(summary.byteCount)
        console.tell("\(path) is a sound backup of \(size)\(StoppedDirectory.files(summary))")
    }

    private static func checkDirectory(_ path: String, _ console: Console) throws(CommandFailure) {
        let check: DirectoryCheck
        do throws(StorageFailure) {
            check = try DirectoryCheck.run(SystemDisk(path))
        } catch {
            throw CommandFailure(error)
        }
        for finding in check.findings { try console.print(line(finding)) }
        for line in StoppedDirectory.list(check.soundRevisions) { try console.print("sound \(line)") }
        let size = Quantities.size(check.checkedByteCount)
        let extent = "\(size) in \(Quantities.count(check.recordCount, "journal record"))"
        guard check.isSound else {
            throw .failed(
                "\(path) is damaged; \(extent) were read\n"
                    + "'hearth recover \(path) --until NAMESPACE:REVISION' opens it up to a sound revision")
        }
        console.tell("\(path) is sound: \(extent)")
    }

    private static func line(_ finding: DirectoryCheck.Finding) -> String {
        let word = finding.severity == .damage ? "damage" : "note"
        let offset = finding.offset.map { " at byte \($0)" } ?? ""
        return "\(word) \(finding.place)\(offset): \(finding.text)"
    }
}
