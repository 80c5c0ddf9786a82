// Redis from Debian's package.
import Glibc
import HearthCore
import HearthTesting

/// Starts redis-server and says what it is asked.
enum Redis {
    /// A server that acknowledges what is on the disk, or one that writes nothing unless it is told to.
    ///
    /// - Parameter folder: one that had a server before, whose dump is loaded; else an empty one is made.
    static func start(
        _ program: String, isDurable: Bool = true, in folder: String? = nil
    ) throws -> RunningServer {
        let folder = try folder ?? Leftovers.makeFolder()
        return try RunningServer.start(program, in: folder) { port in
            [
                "--bind", "127.0.0.1", "--port", "\(port)", "--dir", folder, "--save", "", "--appendonly",
                isDurable ? "yes" : "no", "--appendfsync", "always",
            ]
        }
    }

    /// A command as it is sent.
    static func command(_ words: [String]) -> [UInt8] {
        let parts = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }
        return Array("*\(words.count)\r\n\(parts.joined())".utf8)
    }

    /// A leaf's value as a hash keeps it.
    static func text(of node: Node) -> String {
        String(decoding: NodeSerializer.bytes(of: node), as: UTF8.self)
    }

    /// Whether it has loaded its data.
    static func isReady(_ server: RunningServer) throws -> Bool {
        let client = try WireClient(port: server.port)
        client.send(command(["PING"]) + command(["QUIT"]))
        return try client.readToEnd().starts(with: "+PONG".utf8)
    }

    /// Gives it many commands whose answers are of no interest, and waits until all are done.
    static func ask(_ server: RunningServer, _ commands: ((_ command: [UInt8]) -> Void) -> Void) throws {
        let client = try WireClient(port: server.port, patience: .seconds(300))
        client.send(command(["CLIENT", "REPLY", "OFF"]))
        var pending: [UInt8] = []
        commands { command in
            pending += command
            guard pending.count > 1 << 16 else { return }
            client.send(pending)
            pending.removeAll(keepingCapacity: true)
        }
        client.send(pending + command(["CLIENT", "REPLY", "ON"]) + command(["QUIT"]))
        guard try client.readToEnd().starts(with: "+OK".utf8) else {
            throw ComparisonFailure("Redis does not take the messages")
        }
    }
}
