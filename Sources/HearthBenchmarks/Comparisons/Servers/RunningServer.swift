// A server that has been started for a comparison and answers.
import Glibc
import HearthTesting

/// Where a started server is reached.
struct RunningServer {
    let process: ChildProcess
    let port: UInt16
    /// Its own folder, removed with it.
    let folder: String

    /// How long a server may take until it answers, in seconds.
    private static let patience: UInt64 = 30

    /// Starts a program that is told its port, and waits until it takes connections.
    ///
    /// Ports are drawn below those that the system gives to others; one that is taken meanwhile makes the
    /// program end, and another is tried.
    static func start(
        _ program: String, in folder: String, arguments: (_ port: UInt16) throws -> [String]
    ) throws -> RunningServer {
        let output = folder + "/output"
        for _ in 0..<5 {
            let port = try freePort()
            let process = try Leftovers.start(program, try arguments(port), output: output)
            let server = RunningServer(process: process, port: port, folder: folder)
            if try server.waitUntilItAnswers() { return server }
        }
        let said = (try? TextFile.read(output)) ?? ""  // What cannot be read does not explain more.
        throw ComparisonFailure("\(program) does not start; it says: \(said.suffix(1_000))")
    }

    /// The processor time and memory of its processes.
    var cost: ProcessCost { ProcessCost(group: process.id) }

    /// Asks it once and returns the answer's body.
    @discardableResult
    func ask(_ method: String, _ target: String, body: [UInt8]? = nil) throws -> [UInt8] {
        let answer = try WireClient(port: port).ask(method, target, body: body)
        guard (200..<300).contains(answer.status) else {
            throw ComparisonFailure("\(method) \(target) was answered: \(answer)")
        }
        return answer.body
    }

    /// Ends it, and waits for that.
    func stop() { process.stop() }

    /// False if the program has ended instead.
    private func waitUntilItAnswers() throws -> Bool {
        let deadline = Now.microseconds + RunningServer.patience * 1_000_000
        while Now.microseconds < deadline {
            if process.hasEnded { return false }
            // Nobody listens yet: the next try is the answer to that.
            if (try? LoadConnection(port: port)) != nil { return true }
            usleep(1_000)
        }
        throw ComparisonFailure(
            "\(process.program) does not answer; it says: \(process.output.suffix(1_000))")
    }

    /// A loopback port that was free just now.
    private static func freePort() throws(ComparisonFailure) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        for _ in 0..<1_000 {
            let port = UInt16.random(in: 10_240..<32_768)
            if Loopback.withAddress(port: port, { bind(descriptor, $0, $1) }) == 0 { return port }
        }
        throw .system("no port is free")
    }
}
