// The other programs that Hearth is held against, and whether they are here.
import Glibc
import HearthTesting

/// What a row needs beside Hearth.
enum Peer: CaseIterable {
    case nginx
    case nchan
    case redis
    case node
    /// Hearth itself under other circumstances: always here.
    case itself
    /// The disk, which writes bytes as they are.
    case disk
    /// A program that does nothing but send: `SendingFloor`.
    case floor
    /// The size of a JSON text.
    case text
    /// Hearth's numbers stand for themselves.
    case nobody

    /// As the table calls it.
    var name: String {
        switch self {
        case .nginx: "nginx"
        case .nchan: "nchan"
        case .redis: "Redis"
        case .node: "Node"
        case .itself: "Hearth"
        case .disk: "disk"
        case .floor: "floor"
        case .text: "text"
        case .nobody: ""
        }
    }

    /// The program to start; nil if it is missing or needs none.
    var program: String? {
        switch self {
        case .nginx, .nchan: Peer.find("nginx")
        case .redis: Peer.find("redis-server")
        case .node: Peer.find("node")
        case .itself, .disk, .floor, .text, .nobody: nil
        }
    }

    /// Why rows with it cannot be run, and what helps; nil if they can.
    var whatIsMissing: String? {
        switch self {
        case .itself, .disk, .floor, .text, .nobody: nil
        case .nginx, .redis, .node:
            program == nil ? "\(name) is missing: apt-get install \(package)" : nil
        case .nchan:
            program == nil || access(Nginx.module, R_OK) != 0
                ? "nchan is missing: apt-get install nginx \(package)" : nil
        }
    }

    /// Its name and version, as the program tells it; nil for what is no program.
    var version: String? {
        switch self {
        case .disk, .floor, .text, .nobody: nil
        case .node: "Node " + Peer.firstLine(program, ["--version"]).drop { $0 == "v" }
        case .itself: Peer.firstLine(HearthProgram.path, ["version"])
        case .nginx: "nginx " + (Peer.firstLine(program, ["-v"]).split(separator: "/").last ?? "?")
        case .redis: "Redis " + Peer.version(in: Peer.firstLine(program, ["--version"]), after: "v=")
        case .nchan: "nchan " + Peer.nchanVersion
        }
    }

    private var package: String {
        switch self {
        case .nchan: "libnginx-mod-nchan"
        case .redis: "redis-server"
        case .node: "nodejs"
        case .nginx, .itself, .disk, .floor, .text, .nobody: "nginx"
        }
    }

    private static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// What a program says first; "?" if it says nothing.
    private static func firstLine(_ program: String?, _ arguments: [String]) -> String {
        guard let program, let folder = try? Leftovers.makeFolder() else { return "?" }  // Told as unknown.
        let output = folder + "/output"
        // A program that cannot be run has no version, and its rows will say why.
        guard let process = try? Leftovers.start(program, arguments, output: output) else { return "?" }
        _ = process.waitForEnd(seconds: 10)
        return process.output.split(separator: "\n").first.map(String.init) ?? "?"
    }

    private static func version(in line: String, after mark: String) -> String {
        guard let range = line.firstRange(of: mark) else { return "?" }
        return String(line[range.upperBound...].prefix { $0 != " " && $0 != "\n" && $0 != "\r" })
    }

    /// nchan tells its version only while it runs.
    private static var nchanVersion: String {
        guard let program = Peer.nchan.program,
            // A module that does not start has no version, and its rows will say why.
            let server = try? Nginx.start(program, workers: 1, nil),
            let body = try? server.ask("GET", "/status")  // The same.
        else { return "?" }
        return version(in: String(decoding: body, as: UTF8.self), after: "nchan version: ")
    }
}
