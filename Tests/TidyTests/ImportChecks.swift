// Dependencies point one way: the table of modules, held against every import and against the manifest.
import Foundation

/// Who may import whom, and who may touch the machine.
enum ImportChecks {
    /// The design's table of modules. A change here is a change of the design, not a repair.
    static let dependencies: [String: Set<String>] = [
        "HearthJSON": [],
        "HearthCrypto": ["COpenSSL"],
        "HearthCore": ["HearthJSON", "HearthCrypto"],
        "HearthRules": ["HearthCore"],
        "HearthSync": ["HearthCore"],
        "HearthStorage": ["HearthCore", "CMachine"],
        "HearthWire": ["HearthCore", "HearthJSON", "HearthCrypto", "CZlib"],
        "HearthIdentity": ["HearthCore", "HearthJSON", "HearthCrypto"],
        "HearthEngine": ["HearthRules", "HearthSync", "HearthCore"],
        "HearthServer": [
            "HearthEngine", "HearthRules", "HearthIdentity", "HearthSync", "HearthStorage", "HearthWire",
            "HearthCore", "HearthJSON", "HearthCrypto", "CLinux",
        ],
        "HearthClient": ["HearthWire", "HearthCore", "HearthJSON", "HearthCrypto", "CLinux"],
        "HearthTesting": [
            "HearthServer", "HearthEngine", "HearthSync", "HearthStorage", "HearthWire", "HearthCore",
            "HearthJSON", "HearthCrypto",
        ],
        "hearth": [
            "HearthServer", "HearthClient", "HearthRules", "HearthIdentity", "HearthStorage", "HearthWire",
            "HearthCore", "HearthJSON", "HearthCrypto", "CLinux",
        ],
        "HearthBenchmarks": [
            "HearthServer", "HearthEngine", "HearthRules", "HearthSync", "HearthStorage", "HearthWire",
            "HearthCore", "HearthJSON", "HearthTesting", "CLinux",
        ],
    ]
    /// Modules that may use sockets, files, time and threads.
    static let platformModules: Set<String> = [
        "HearthServer", "HearthClient", "hearth", "HearthTesting", "HearthBenchmarks",
    ]
    /// What every module may import: `memcpy` and the like, atomics and locks.
    static let systemModules: Set<String> = ["Glibc", "Synchronization"]

    /// What `.ci/fuzz`, which the manifest does not know, builds the fuzz targets with.
    static let fuzzedModules: Set<String> = [
        "HearthRules", "HearthJSON", "HearthCore", "HearthWire", "HearthIdentity", "HearthCrypto",
        "HearthStorage",
    ]

    /// Functions of Glibc that reach outside the process, or wait.
    static let outsideFunctions = [
        "socket|bind|listen|accept|accept4|connect|send|sendto|sendmsg|recv|recvfrom|recvmsg",
        "open|openat|creat|read|readv|pread|write|writev|pwrite|close|fsync|fdatasync|ftruncate|fallocate",
        "unlink|rename|mkdir|rmdir|opendir|readdir|stat|fstat|lstat|mmap|munmap|flock|fopen|fread|fwrite",
        "getenv|setenv|system|fork|execv|execve|execvp|posix_spawn|kill|signal|sigaction",
        "time|clock_gettime|gettimeofday|usleep|sleep|nanosleep|poll|select|epoll_\\w+|eventfd|timerfd_\\w+",
        "pthread_\\w+|arc4random\\w*|random|rand|getrandom",
    ].joined(separator: "|")

    static func imports(_ source: SourceText) -> [Finding] {
        guard !source.isTest, let module = source.module, let allowed = dependencies[module] else {
            return []
        }
        return imports(source, of: module, allowed: allowed.union(systemModules))
    }

    /// Test targets import what the manifest declares for them; the build's own check passes over tests.
    static func testImports(_ source: SourceText, manifest: String) -> [Finding] {
        guard source.isTest, let module = source.module else { return [] }
        let declared =
            module == "Fuzzing" ? fuzzedModules : declarations("tests", in: manifest)[module] ?? []
        let allowed = declared.union(systemModules).union(["Testing", "Foundation"])
        return imports(source, of: module, allowed: allowed)
    }

    private static func imports(
        _ source: SourceText, of module: String, allowed: Set<String>
    ) -> [Finding] {
        let pattern = Pattern(
            "^[ \\t]*(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:(?:public|internal|package|private|fileprivate)\\s+)?"
                + "import\\s+"
                + "(?:(?:struct|class|enum|protocol|func|let|var|typealias)\\s+)?(\\w+)")
        return pattern.matches(in: source.code).compactMap { match in
            guard let range = Range(match.range(at: 1), in: source.code) else { return nil }
            let name = String(source.code[range])
            guard !allowed.contains(name) else { return nil }
            return Finding(
                path: source.path, line: source.lineNumber(ofUTF16Offset: match.range(at: 1).location),
                reason: "\(module) must not import \(name)")
        }
    }

    /// Files of the pure modules neither call the system nor suspend, and take time and chance from outside.
    static func purity(_ source: SourceText) -> [Finding] {
        guard !source.isTest, let module = source.module, dependencies[module] != nil,
            !platformModules.contains(module)
        else { return [] }
        var forbidden = [
            "\\b(ContinuousClock|SuspendingClock)\\b", "\\b(await)\\b", "\\b(SystemRandomNumberGenerator)\\b",
        ]
        if !source.linesOfCode(matching: "^[ \\t]*(?:public\\s+)?import\\s+Glibc\\b").isEmpty {
            forbidden.append("(?<![.\\w])(?<!func )(\(outsideFunctions))\\s*\\(")
        }
        return forbidden.flatMap { pattern in
            zip(source.linesOfCode(matching: pattern), Pattern(pattern).groups(1, in: source.code)).map {
                Finding(
                    path: source.path, line: $0,
                    reason: "\(module) must not use \($1): what is outside comes in as a parameter")
            }
        }
    }

    /// The manifest declares just what the table says for every module of ours.
    static func manifest(_ text: String) -> [Finding] {
        let declared = declarations("layer|program", in: text)
        return Set(dependencies.keys).union(declared.keys).sorted().compactMap { name in
            guard dependencies[name] != declared[name] else { return nil }
            let says = declared[name].map { $0.sorted().joined(separator: " ") } ?? "nothing"
            let wants = dependencies[name].map { $0.sorted().joined(separator: " ") } ?? "nothing"
            return Finding(
                path: "Package.swift", line: 1,
                reason: "\(name) depends on [\(says)], the design says [\(wants)]")
        }
    }

    /// The targets that the manifest declares by calls of `function`, with their dependencies.
    private static func declarations(_ function: String, in manifest: String) -> [String: Set<String>] {
        let call = Pattern("\\b(?:\(function))\\(\\s*\"(\\w+)\"\\s*(?:,\\s*on:([^)]*))?\\)")
        let names = call.groups(1, in: manifest)
        let lists = call.groups(2, in: manifest).map { Set(Pattern("\"(\\w+)\"").groups(1, in: $0)) }
        return Dictionary(zip(names, lists)) { first, _ in first }
    }
}
