// Hearth itself, as it is installed: the program beside this one.
import Glibc

/// Starts `hearth serve`.
enum HearthProgram {
    /// The program that was built together with this one.
    static var path: String {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = max(0, readlink("/proc/self/exe", &bytes, bytes.count))
        let path = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/hearth"
    }

    /// A durable server with one loop if nothing else is said.
    ///
    /// - Parameter folder: one that had a server before, to go on with its data; else an empty one is made.
    static func start(
        loops: Int = 1, options: [String] = [], in folder: String? = nil
    ) throws -> RunningServer {
        guard access(path, X_OK) == 0 else {
            throw ComparisonFailure(
                "\(path) is missing; build it: swift build -c release --product hearth")
        }
        let folder = try folder ?? Leftovers.makeFolder()
        let server = try RunningServer.start(path, in: folder) { port in
            [
                "serve", "--listen", "127.0.0.1:\(port)", "--data", "\(folder)/data", "--loops", "\(loops)",
                "--log", "warning",
            ] + options
        }
        // Connections are taken before all is ready; the first answer comes behind that.
        try server.ask("GET", "/.health")
        return server
    }

    /// Runs `hearth` with these words and for this server, to its end.
    static func run(_ words: [String], for server: RunningServer) throws {
        let process = try Leftovers.start(
            path, words + options(for: server), output: server.folder + "/said")
        guard process.waitForEnd(seconds: 300), process.ending == 0 else {
            throw ComparisonFailure("hearth \(words.joined(separator: " ")): \(process.output.suffix(1_000))")
        }
    }

    /// Runs `hearth` with these words and for this server again and again, until it is stopped or fails. What
    /// it prints is forgotten.
    static func repeating(_ words: [String], for server: RunningServer) throws -> ChildProcess {
        let script = ["-c", #"while "$@" > /dev/null; do :; done"#, "sh", path]
        return try Leftovers.start(
            "/bin/sh", script + words + options(for: server), output: server.folder + "/said")
    }

    private static func options(for server: RunningServer) -> [String] {
        ["--admin-from", server.folder + "/data", "--url", "http://127.0.0.1:\(server.port)"]
    }

    /// How a room's messages are published and listened to.
    static func broadcast(_ form: Broadcast.Form, from server: RunningServer) -> Broadcast {
        let port = server.port
        let target = { (room: String) in "/rooms/\(room)/messages.json" }
        switch form {
        case .eventStream:
            return Broadcast(
                form: form, server: server,
                listen: { Broadcast.get(target($0), port: port, ["Accept: text/event-stream"]) },
                target: target)
        case .webSocket:
            return Broadcast(
                form: form, server: server,
                listen: { _ in Broadcast.upgrade("/.ws?v=5&ns=default", port: port) },
                firstFrame: { room in
                    Broadcast.frame(
                        #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/rooms/\#(room)/messages","h":""}}}"#)
                }, target: target)
        case .longPoll:
            let poll = { (room: String, since: String) in
                Broadcast.get("\(target(room))?feed=longpoll&since=\(since)", port: port)
            }
            return Broadcast(
                form: form, server: server, listen: { poll($0, "now") },
                listenOn: { room, answer in
                    guard let cursor = answer.header("Hearth-Cursor") else {
                        throw ComparisonFailure("a long poll was answered without a cursor")
                    }
                    return poll(room, cursor)
                }, target: target)
        }
    }
}
