// The modules lean on each other as the design says.
import Testing

@Suite("Imports")
struct ImportTests {
    private func source(_ text: String, in module: String) -> SourceText {
        SourceText(path: "Sources/\(module)/Sample.swift", text: text)
    }

    @Test("keep to the table of modules")
    func projectImports() {
        expectNone(Project.shared.sources.flatMap(ImportChecks.imports))
    }

    @Test("of tests are declared in the manifest")
    func projectTestImports() throws {
        let manifest = try #require(Project.shared.files.first { $0.path == "Package.swift" })
        expectNone(
            Project.shared.sources.flatMap { ImportChecks.testImports($0, manifest: manifest.text) })
    }

    @Test("leave the machine to the modules at the edge")
    func projectPurity() {
        expectNone(Project.shared.sources.flatMap(ImportChecks.purity))
    }

    @Test("are declared in the manifest as in the table")
    func projectManifest() throws {
        let manifest = try #require(Project.shared.files.first { $0.path == "Package.swift" })
        expectNone(ImportChecks.manifest(manifest.text))
    }

    @Test("cover every module with code")
    func projectModules() {
        let modules = Set(Project.shared.sources.filter { !$0.isTest }.compactMap(\.module))
        #expect(modules.subtracting(ImportChecks.dependencies.keys).isEmpty)
    }

    @Test(
        "against the direction are noticed",
        arguments: [
            ("HearthCore", "import HearthSync"), ("HearthSync", "public import HearthStorage"),
            ("HearthJSON", "import HearthCore"), ("HearthWire", "@testable import HearthEngine"),
            ("HearthServer", "import Foundation"), ("HearthCore", "import struct Foundation.Data"),
            ("HearthServer", "import HearthTesting"), ("HearthStorage", "import CLinux"),
            ("HearthServer", "import COpenSSL"),
        ])
    func noticesImports(module: String, text: String) {
        #expect(ImportChecks.imports(source("import Glibc\n\(text)\n", in: module)).map(\.line) == [2])
    }

    @Test(
        "in the direction are left alone",
        arguments: [
            ("HearthCore", "public import HearthJSON"), ("HearthServer", "import CLinux"),
            ("HearthEngine", "internal import HearthSync"), ("HearthStorage", "import Synchronization"),
            ("HearthCore", "// import Foundation"),
        ])
    func allowsImports(module: String, text: String) {
        #expect(ImportChecks.imports(source(text, in: module)).isEmpty)
    }

    @Test("of a test that the manifest does not declare are noticed")
    func noticesTestImports() {
        let manifest = "tests(\"HearthSyncTests\", on: \"HearthSync\", \"HearthTesting\"),"
        let text = "import Foundation\n@testable import HearthSync\nimport HearthCore\nimport Testing\n"
        let source = SourceText(path: "Tests/HearthSyncTests/ViewTests.swift", text: text)
        #expect(ImportChecks.testImports(source, manifest: manifest).map(\.line) == [3])
    }

    @Test(
        "of the system for what is outside are noticed in pure modules",
        arguments: [
            ("HearthCore", "import Glibc\nlet t = time(nil)"),
            ("HearthStorage", "import Glibc\nlet f = open(path, O_RDONLY)"),
            ("HearthWire", "import Glibc\npthread_create(&t, nil, f, nil)"),
            ("HearthEngine", "let a = 1\nlet c = ContinuousClock()"),
            ("HearthSync", "let a = 1\nlet b = await c()"),
        ])
    func noticesPurity(module: String, text: String) {
        #expect(ImportChecks.purity(source(text, in: module)).map(\.line) == [2])
    }

    @Test(
        "of the system for memory, and at the edge for all, are left alone",
        arguments: [
            ("HearthJSON", "import Glibc\nmemcpy(a, b, 8)"),
            ("HearthStorage", "import Glibc\ndisk.open(path)"),
            ("HearthCore", "import Glibc\nfunc read() {}"), ("HearthCore", "read(1)"),
            ("HearthServer", "import Glibc\nsocket(AF_INET, 0, 0)"),
        ])
    func allowsPurity(module: String, text: String) {
        #expect(ImportChecks.purity(source(text, in: module)).isEmpty)
    }

    @Test("that the manifest adds or lacks are noticed")
    func noticesManifest() {
        let text = "layer(\"HearthSync\", on: \"HearthCore\", \"HearthJSON\"), layer(\"HearthNew\")"
        let reasons = ImportChecks.manifest(text).map(\.reason)
        #expect(
            reasons.contains("HearthSync depends on [HearthCore HearthJSON], the design says [HearthCore]"))
        #expect(reasons.contains("HearthNew depends on [], the design says [nothing]"))
        #expect(
            reasons.contains("HearthStorage depends on [nothing], the design says [CMachine HearthCore]"))
    }
}
