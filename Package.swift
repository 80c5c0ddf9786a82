// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with; Swift 6 mode comes from the tools version.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    // Checked in debug builds, so by every test; in the server's hot paths the checks cost some percent.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

func layer(_ name: String, on dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: strict,
        linkerSettings: [.linkedLibrary("m")])
}

func program(_ name: String, on dependencies: String...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: strict,
        // The runtime linked in: nothing to install beside the program, and cheaper calls into it.
        linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))])
}

func tests(_ name: String, on dependencies: String..., excluding data: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, exclude: data,
        swiftSettings: strict)
}

let package = Package(
    name: "hearth",
    products: [
        .library(name: "HearthServer", targets: ["HearthServer"]),
        .executable(name: "hearth", targets: ["hearth"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CMachine"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        layer("HearthJSON"),
        layer("HearthCrypto", on: "COpenSSL"),
        layer("HearthCore", on: "HearthJSON", "HearthCrypto"),
        layer("HearthRules", on: "HearthCore"),
        layer("HearthSync", on: "HearthCore"),
        layer("HearthStorage", on: "HearthCore", "CMachine"),
        layer("HearthWire", on: "HearthCore", "HearthJSON", "HearthCrypto", "CZlib"),
        layer("HearthIdentity", on: "HearthCore", "HearthJSON", "HearthCrypto"),
        layer("HearthEngine", on: "HearthRules", "HearthSync", "HearthCore"),
        layer(
            "HearthServer",
            on: "HearthEngine", "HearthRules", "HearthIdentity", "HearthSync", "HearthStorage", "HearthWire",
            "HearthCore", "HearthJSON", "HearthCrypto", "CLinux"),
        layer("HearthClient", on: "HearthWire", "HearthCore", "HearthJSON", "HearthCrypto", "CLinux"),
        layer(
            "HearthTesting",
            on: "HearthServer", "HearthEngine", "HearthSync", "HearthStorage", "HearthWire", "HearthCore",
            "HearthJSON", "HearthCrypto"),

        program(
            "hearth",
            on: "HearthServer", "HearthClient", "HearthRules", "HearthIdentity", "HearthStorage",
            "HearthWire", "HearthCore", "HearthJSON", "HearthCrypto", "CLinux"),
        program(
            "HearthBenchmarks",
            on: "HearthServer", "HearthEngine", "HearthRules", "HearthSync", "HearthStorage", "HearthWire",
            "HearthCore", "HearthJSON", "HearthTesting", "CLinux"),

        tests("HearthJSONTests", on: "HearthJSON", "HearthTesting"),
        tests("HearthCryptoTests", on: "HearthCrypto", "HearthTesting"),
        tests("HearthCoreTests", on: "HearthCore", "HearthJSON", "HearthCrypto", "HearthTesting"),
        tests(
            "HearthRulesTests", on: "HearthRules", "HearthCore", "HearthTesting", excluding: ["Cases"]),
        tests("HearthSyncTests", on: "HearthSync", "HearthCore", "HearthTesting"),
        tests("HearthStorageTests", on: "HearthStorage", "HearthCore", "HearthTesting"),
        tests(
            "HearthIdentityTests",
            on: "HearthIdentity", "HearthCore", "HearthJSON", "HearthCrypto", "HearthTesting"),
        tests(
            "HearthWireTests", on: "HearthWire", "HearthCore", "HearthJSON", "HearthCrypto", "HearthTesting"),
        tests(
            "HearthEngineTests", on: "HearthEngine", "HearthRules", "HearthSync", "HearthCore",
            "HearthTesting"),
        tests(
            "HearthServerTests",
            on: "HearthServer", "HearthEngine", "HearthStorage", "HearthWire", "HearthCore", "HearthJSON",
            "HearthCrypto", "HearthTesting", "CLinux", excluding: ["Realtime/Transcripts"]),
        tests(
            "HearthClientTests",
            on: "HearthClient", "HearthServer", "HearthWire", "HearthCore", "HearthJSON", "HearthTesting"),
        tests(
            "HearthCommandTests",
            on: "hearth", "HearthServer", "HearthClient", "HearthStorage", "HearthWire", "HearthCore",
            "HearthJSON", "HearthTesting"),
        tests("HearthTestingTests", on: "HearthTesting", "HearthStorage", "HearthCore"),
        tests("ConformanceTests", on: "HearthServer", "HearthTesting", excluding: ["Cases"]),
        tests(
            "SimulationTests",
            on: "HearthServer", "HearthEngine", "HearthStorage", "HearthSync", "HearthWire", "HearthCore",
            "HearthTesting"),
        tests("LedgerTests", on: "hearth", "HearthTesting"),
        tests("OverloadTests", on: "hearth", excluding: ["overload.py"]),
        tests("ExampleTests", on: "hearth", "HearthBenchmarks"),
        tests("ClientTests", on: "hearth", excluding: ["Scripts"]),
        tests("TidyTests"),
    ]
)
