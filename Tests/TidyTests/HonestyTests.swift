// Nothing in the project is half done or quieted without a word.
import Testing

@Suite("Honesty")
struct HonestyTests {
    private func source(_ text: String, path: String = "Sources/HearthCore/Sample.swift") -> SourceText {
        SourceText(path: path, text: text)
    }

    @Test("leaves no marks of unfinished work")
    func projectMarkers() {
        expectNone(Project.shared.files.flatMap { HonestyChecks.markers(path: $0.path, text: $0.text) })
    }

    @Test("gives a reason wherever the compiler or an error is silenced")
    func projectSilence() {
        expectNone(Project.shared.sources.flatMap(HonestyChecks.silence))
        expectNone(Project.shared.sources.flatMap(HonestyChecks.emptyCatches))
    }

    @Test("waits for conditions in tests, not for time")
    func projectSleeping() {
        expectNone(Project.shared.sources.flatMap(HonestyChecks.sleeping))
    }

    @Test("documents what is public")
    func projectDocumentation() {
        expectNone(Project.shared.sources.flatMap(HonestyChecks.documentation))
    }

    @Test("opens each file with what it is for")
    func projectOpening() {
        expectNone(Project.shared.sources.flatMap(HonestyChecks.opening))
    }

    @Test("notices each mark", arguments: HonestyChecks.markers + ["#expect(tr" + "ue)"])
    func noticesMarkers(mark: String) {
        #expect(HonestyChecks.markers(path: "a", text: "one\n  // \(mark): later\n").map(\.line) == [2])
        #expect(HonestyChecks.markers(path: "a", text: String(repeating: "X", count: 6)).isEmpty)
    }

    @Test(
        "notices silence without a reason, and accepts one beside it",
        arguments: [
            "let a = try! b()", "let a = try? b()", "let a = b as! C", "extension A: @unchecked Sendable {}",
            "nonisolated(unsafe) let a = b",
        ])
    func noticesSilence(text: String) {
        #expect(HonestyChecks.silence(source("let x = 1\n\(text)\n")).map(\.line) == [2])
        #expect(HonestyChecks.silence(source("let x = 1\n\(text) // never fails\n")).isEmpty)
        #expect(HonestyChecks.silence(source("// never fails\n\(text)\n")).isEmpty)
        #expect(HonestyChecks.silence(source("// never fails\n@inlinable\n\(text)\n")).isEmpty)
        #expect(HonestyChecks.silence(source("let x = \"\(text)\"\n")).isEmpty)
        #expect(HonestyChecks.silence(source("return try !isDone()\n")).isEmpty)
    }

    @Test("notices an error dropped without a word")
    func noticesEmptyCatches() {
        #expect(HonestyChecks.emptyCatches(source("do { try a() } catch {}")).map(\.line) == [1])
        #expect(HonestyChecks.emptyCatches(source("do {\n} catch let e {\n\n}\n")).map(\.line) == [2])
        #expect(HonestyChecks.emptyCatches(source("do {\n} catch {\n// gone already\n}\n")).isEmpty)
        #expect(HonestyChecks.emptyCatches(source("do {\n} catch {\nb()\n}\n")).isEmpty)
    }

    @Test(
        "notices sleeping tests",
        arguments: ["sleep(1)", "usleep(5)", "try await Task.sleep(for: .seconds(1))"])
    func noticesSleeping(text: String) {
        #expect(HonestyChecks.sleeping(source(text, path: "Tests/A/B.swift")).map(\.line) == [1])
        #expect(HonestyChecks.sleeping(source("// \(text)", path: "Tests/A/B.swift")).isEmpty)
    }

    @Test(
        "notices what is public without a doc comment",
        arguments: [
            "public struct A {}", "public static func a() {}", "public private(set) var a = 1",
            "@inlinable public init() {}", "    @frozen\n    public enum A {}",
        ])
    func noticesDocumentation(text: String) {
        #expect(HonestyChecks.documentation(source("import B\n\n\(text)\n")).count == 1)
        #expect(HonestyChecks.documentation(source("/// What it is for.\n\(text)\n")).isEmpty)
        #expect(HonestyChecks.documentation(source("/// What it is for.\n@frozen\n\(text)\n")).isEmpty)
        #expect(HonestyChecks.documentation(source("// What it is for.\n\(text)\n")).count == 1)
    }

    @Test("notices a file that opens without a word or with a banner")
    func noticesOpening() {
        #expect(HonestyChecks.opening(source("import A\nstruct B {}\n")).map(\.line) == [1])
        #expect(HonestyChecks.opening(source("//===---===//\n")).map(\.line) == [1])
        #expect(HonestyChecks.opening(source("// Copyright 2000\nimport A\n")).map(\.line) == [1])
        #expect(HonestyChecks.opening(source("import A\n\n/// Reads.\nstruct B {}\n")).isEmpty)
    }
}
