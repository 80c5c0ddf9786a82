// One run: writers and a follower go on while their server is killed again and again.
import Foundation
import HearthTesting

/// What a run ends with.
struct Findings: Sendable {
    var faults: [String] = []
    var acknowledgedCount = 0
    var followedServerCount = 0
    var checkpointCount = 0
    var segmentCount = 0
    var restoreCount = 0
    var childCount = 0
}

/// Plays a run in a directory of its own.
struct Run {
    let killCount: Int
    private let writerCount = 4
    /// After so many kills the data moves to another directory, by a backup.
    private let restoreDistance = 25
    /// Holds one data directory after the other: each restore makes a new one.
    private let place = FileManager.default.temporaryDirectory
        .appendingPathComponent("hearth-ledger-\(UUID().uuidString)")
    private let monitor = Monitor(Proceedings())

    init(killCount: Int) {
        self.killCount = killCount
    }

    /// Plays it to the end and compares.
    func play(_ random: SeededRandom) throws -> Findings {
        defer {
            do {
                try FileManager.default.removeItem(at: place)
            } catch {
                print("left behind: \(place.path): \(error)")
            }
        }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        var random = random
        let followers = Monitor<[Follower]>([])
        startThreads(&random, followers)
        defer { monitor.update { $0.isOver = true } }
        var number = 0
        var findings = Findings()
        for kill in 1...killCount where monitor.update({ $0.faults.isEmpty }) {
            try serveAndKill(&random, &number, in: directory(findings.restoreCount))
            guard kill % restoreDistance == 0 else { continue }
            try restore(&findings)
        }
        try finish(followers, &findings)
        return findings
    }

    private func directory(_ number: Int) -> URL { place.appendingPathComponent("data-\(number)") }

    /// Copies what the killed server has left to a backup, and makes the next directory from that.
    private func restore(_ findings: inout Findings) throws {
        let old = directory(findings.restoreCount)
        note(old, &findings)
        findings.restoreCount += 1
        let backup = place.appendingPathComponent("backup-\(findings.restoreCount)").path
        try ServerProcess.run("backup", old.path, backup)
        try ServerProcess.run("restore", backup, directory(findings.restoreCount).path)
        try FileManager.default.removeItem(at: old)
        monitor.update { $0.restoreCount += 1 }
    }

    /// Counts the checkpoints and segments that a directory has come to.
    private func note(_ directory: URL, _ findings: inout Findings) {
        // A directory that no server has made yet has none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        findings.checkpointCount += names.compactMap { Run.number("checkpoint", in: $0) }.max() ?? 0
        findings.segmentCount += names.compactMap { Run.number("journal", in: $0) }.max() ?? 0
    }

    private func startThreads(_ random: inout SeededRandom, _ followers: Monitor<[Follower]>) {
        for index in 1...writerCount {
            let branch = random.branch()
            let monitor = monitor
            Thread.detachNewThread {
                var writer = Writer(index, monitor, random: branch)
                writer.run()
            }
        }
        let monitor = monitor
        Thread.detachNewThread {
            var follower = Follower(monitor)
            follower.run()
            let ended = follower
            followers.update { $0.append(ended) }
        }
    }

    /// One life of the server. One in eight ends while it starts.
    private func serveAndKill(
        _ random: inout SeededRandom, _ number: inout Int, in directory: URL
    ) throws {
        let server = try ServerProcess(directory.path)
        if random.oneIn(8) {
            _ = try server.port(withinMilliseconds: Int32.random(in: 0...40, using: &random))
            return try server.kill()
        }
        guard let port = try server.port(withinMilliseconds: 60_000) else {
            throw ServerProcess.Failure(description: "the server does not start")
        }
        number += 1
        let present = Present(number: number, port: port)
        let target = monitor.update { proceedings in
            proceedings.server = present
            return proceedings.acknowledgedCount
        }
        let wanted = target + Int.random(in: 0...40, using: &random)
        let under = Int.random(in: 0...2, using: &random)
        // The follower may be some servers behind, but not so far that its history is gone.
        let isDone: Bool? = monitor.wait(atMost: 60) {
            let isFollowed = $0.followedNumber + 5 > present.number
            return $0.acknowledgedCount >= wanted && isFollowed || !$0.faults.isEmpty ? true : nil
        }
        guard isDone != nil else { throw ServerProcess.Failure(description: "nothing is acknowledged") }
        let begun = monitor.update { $0.begunCount }
        _ = monitor.wait(atMost: 5) { $0.begunCount >= begun + under ? true : nil }
        monitor.update { $0.server = nil }
        try server.kill()
    }

    private func finish(_ followers: Monitor<[Follower]>, _ findings: inout Findings) throws {
        monitor.update { $0.isOver = true }
        let writerCount = writerCount
        let proceedings = monitor.wait(atMost: 60) { $0.accounts.count == writerCount ? $0 : nil }
        guard let proceedings, var follower = followers.wait(atMost: 60, { $0.first }) else {
            throw ServerProcess.Failure(description: "a client does not end")
        }
        findings.faults = proceedings.faults
        findings.acknowledgedCount = proceedings.acknowledgedCount
        findings.followedServerCount = follower.serverCount
        let directory = directory(findings.restoreCount)
        // Once after the last kill, and once more after a stop that was asked for.
        for _ in 0..<2 {
            let server = try ServerProcess(directory.path)
            guard let port = try server.port(withinMilliseconds: 60_000) else {
                throw ServerProcess.Failure(description: "the server does not start")
            }
            var check = Comparison(proceedings.accounts)
            try check.run(port: port, &follower)
            findings.faults += check.faults
            findings.childCount = check.childCount
            try server.stop()
        }
        findings.faults += monitor.update { $0.faults }.dropFirst(proceedings.faults.count)
        note(directory, &findings)
    }

    private static func number(_ series: String, in name: String) -> Int? {
        let parts = name.split(separator: "-")
        return parts.count == 2 && parts[0] == series ? Int(parts[1]) : nil
    }
}
