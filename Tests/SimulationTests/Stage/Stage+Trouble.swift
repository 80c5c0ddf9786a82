// What goes wrong, and what happens while the disk is busy.
import HearthCore
import HearthStorage
import HearthTesting

@testable import HearthServer
@testable import HearthStorage

extension Stage {
    /// Something goes wrong now and then.
    func goWrong() {
        if happens(plan.cutOdds), let what = network.cut() { trace("!! \(what)") }
        if happens(plan.clockOdds) {
            let jump = Int64.random(in: -100_000...100_000, using: &random)
            trace("!! the clock jumps by \(jump) ms")
            clock.jump(byMilliseconds: jump)
            if random.oneIn(4) {
                clock.advance(milliseconds: Int64.random(in: 1_000...40_000, using: &random))
            }
        }
        if happens(plan.diskOdds) { troubleDisk() }
        if happens(plan.crashOdds) { crash() }
    }

    func happens(_ odds: Int?) -> Bool {
        guard let odds else { return false }
        return random.oneIn(odds)
    }

    private func troubleDisk() {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            // The call that fails may be the journal's: then the server must stop.
            trace("!! the disk fails once")
            planDisk(failures: [disk.callCount + 1: random.oneIn(3)])
        case 1:
            let room = Int.random(in: 0...20_000, using: &random)
            trace("!! the disk has \(room) bytes left")
            planDisk(capacity: disk.usedByteCount + room)
        default:
            trace("the disk has space")
            planDisk()
        }
    }

    /// Says what goes wrong with the disk from now on, beside what the plan says.
    func planDisk(powerLossAt call: Int? = nil, failures: [Int: Bool] = [:], capacity: Int = .max) {
        disk.plan(
            .init(
                powerLossAt: call, failures: failures.merging(plan.diskFailures) { $1 }, capacity: capacity))
    }

    private func crash() {
        death = Bool.random(using: &random) ? .power : .process
        disk.halt()
    }

    /// A call to the disk takes time, in which others act; and it may be the last one.
    func diskIsCalled() {
        guard !isOpening, let incarnation, death == nil, !incarnation.isInLoop, depth < 2 else { return }
        depth += 1
        defer { depth -= 1 }
        clock.advance(milliseconds: Int64.random(in: 0...3, using: &random))
        if !isCalm {
            for _ in 0..<Int.random(in: 0...3, using: &random) { actOnce() }
        }
        guard death == nil, !isCalm, happens(plan.crashOdds.map { $0 / 2 }) else { return }
        if Bool.random(using: &random) {
            death = .power
            planDisk(powerLossAt: disk.callCount + 1)
        } else {
            death = .process
            disk.halt()
        }
    }

    /// Takes what the journal writes into the chronicles.
    func note(_ bytes: [UInt8], to file: String) {
        attempt { () throws(Violation) in
            try witness.note(bytes, to: file)
            for record in witness.takeRecords() { try take(record) }
        }
    }

    func take(_ placed: PlacedRecord) throws(Violation) {
        let name = placed.record.namespace
        // The server keeps some of its own.
        guard Stage.namespaces.contains(name) else { return }
        switch placed.record.content {
        case .created(let epoch):
            try chronicles[name, default: Chronicle(namespace: name)].begin(epoch: epoch, at: placed.position)
        case .commit(let commit, let session?) where chronicles[name]?.leavings[session] != nil:
            guard mayHaveEnded(session) else {
                throw Violation("what a session leaves is written although it goes on")
            }
            try chronicles[name]?.append(commit, endOf: session, at: placed.position)
            record.commitCount += 1
            record.leavingCount += 1
        case .commit(let commit, _):
            try chronicles[name]?.append(commit, at: placed.position)
            record.commitCount += 1
        case .onDisconnect(let session, let writes):
            try chronicles[name]?.append(
                writes, of: session, at: placed.position, mayEnd: mayHaveEnded(session))
        case .bulk(let bulk):
            try chronicles[name]?.append(
                bulk.commit(writing: try value(of: bulk)), at: placed.position, isLarge: true)
            record.commitCount += 1
        case .deleted, .epochChanged:
            throw Violation("a record that nobody asked for: \(placed)")
        }
    }

    private func value(of bulk: BulkCommit) throws(Violation) -> Node {
        do throws(StorageFailure) {
            return try BulkFile.read(bulk.file, from: disk)
        } catch {
            throw Violation("a large value is named before it is written: \(error)")
        }
    }
}
