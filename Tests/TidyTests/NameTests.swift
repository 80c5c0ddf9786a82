// The project's names say what a thing is for.
import Testing

@Suite("Names")
struct NameTests {
    @Test("of files and folders say something")
    func projectPaths() {
        expectNone(Project.shared.files.flatMap { NameChecks.path($0.path) })
    }

    @Test("of types say something")
    func projectTypes() {
        expectNone(Project.shared.sources.flatMap(NameChecks.types))
    }

    @Test(
        "of paths that say nothing are noticed",
        arguments: [
            "Sources/HearthCore/NodeManager.swift", "Sources/HearthCore/Utils/Node.swift",
            "Sources/HearthCore/Node+Helpers.swift", "Sources/HearthCore/Common.swift",
            "Sources/HearthServer/LoopImpl.swift", "Sources/HearthCore/Protocols/Disk.swift",
        ])
    func noticesPaths(path: String) {
        #expect(NameChecks.path(path).count == 1)
    }

    @Test(
        "of paths that only look similar are left alone",
        arguments: [
            "Sources/HearthEngine/Database.swift", "Sources/HearthCrypto/Base64.swift",
            "Sources/HearthCore/Nodes/Node+Writing.swift", "Sources/HearthCore/Types.swift",
        ])
    func allowsPaths(path: String) {
        #expect(NameChecks.path(path).isEmpty)
    }

    @Test(
        "of types that say nothing are noticed",
        arguments: [
            "struct LoopManager {}", "final class NodeBase {}", "enum Utils {}", "protocol DiskHelper {}",
        ])
    func noticesTypes(text: String) {
        #expect(NameChecks.types(SourceText(path: "Sources/HearthCore/A.swift", text: text)).count == 1)
    }

    @Test(
        "of types that only look similar are left alone",
        arguments: ["struct Database {}", "enum Base64 {}", "// class Manager {}", "let a = \"class Utils\""])
    func allowsTypes(text: String) {
        #expect(NameChecks.types(SourceText(path: "Sources/HearthCore/A.swift", text: text)).isEmpty)
    }
}
