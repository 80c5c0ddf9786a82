// `hearth recover`: opens a damaged directory up to a revision.

import HearthServer
import HearthStorage

/// Gives up what comes after a revision, and keeps the old files.
enum RecoverCommand {
    private static let until = Option.value(
        "until", "NS:REVISION", "the last commit to keep, as 'hearth check' prints it; must be given")

    static let command = Command(
        name: "recover", summary: "opens a damaged data directory up to a revision, keeping the old files",
        operands: [StoppedDirectory.operand], options: [until],
        notes: [
            "All databases become what they were when NS had REVISION; streams that resume get the "
                + "present state. The "
                + "old files stay in the directory under names that are not read. What is left is printed as "
                + "NAMESPACE:REVISION."
        ],
        examples: ["hearth recover hearth-data --until default:130210"], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let directory = invocation.requiredOperand(0)
        guard let text = invocation.value(of: until) else {
            throw .misused("--until is missing; 'hearth check \(directory)' prints what is sound")
        }
        let (namespace, revision) = try place(text)
        let recovery: DirectoryRecovery
        do throws(StorageFailure) {
            recovery = try DirectoryRecovery.run(
                SystemDisk(directory), until: namespace, revision, random: SystemRandomNumberGenerator())
        } catch {
            throw CommandFailure(error)
        }
        for line in StoppedDirectory.list(recovery.revisions) { try invocation.console.print(line) }
        if let damage = recovery.damage { invocation.console.tell("left behind: \(damage)") }
        let kept = Quantities.count(recovery.kept.count, "old file")
        invocation.console.tell(
            "\(directory) can be served again; \(kept) kept beside: "
                + "\(recovery.kept.joined(separator: " "))")
    }

    /// Reads `NS:REVISION`.
    static func place(_ text: String) throws(CommandFailure) -> (namespace: String, revision: Int64) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let revision = Int64(parts[1]), revision >= 0 else {
            throw .misused("--until is NS:REVISION, such as default:130210, not '\(text)'")
        }
        return (String(parts[0]), revision)
    }
}
