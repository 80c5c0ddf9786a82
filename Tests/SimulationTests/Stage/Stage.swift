// The whole play on one thread: server, disk, network, clock and clients, each moved a little at a time.
import HearthCore
import HearthStorage
import HearthTesting

@testable import HearthServer
@testable import HearthStorage

/// A simulation. The same seed plays the same.
///
///     clients ─▶ network ─▶ loops ─▶ journal, workers ─▶ disk
///        └── hold what they are told against the chronicle ◀── witness ◀─┘
///
/// While the disk is called others act, as threads would: so calls are nested where threads run side by side.
// Not checked: everything happens on the thread that plays; closures that the server keeps must be Sendable.
final class Stage: @unchecked Sendable {
    let seed: UInt64
    var random: SeededRandom
    var plan: Plan
    let clock = SimulatedClock()
    let disk = SimulatedDisk()
    let network: SimulatedNetwork
    var witness = Witness()
    var chronicles: [String: Chronicle] = [:]
    var clients: [any Client] = []
    /// By which way each session of the realtime protocol went.
    var sessionLines: [String: any SessionLine] = [:]
    var incarnation: Incarnation?
    /// How the present server has come to its end, if it has.
    var death: Death?
    var isOpening = false
    /// How many calls to the disk had failed when the present server began.
    var knownFailureCount = 0
    /// How many calls to the disk are below on the stack.
    var depth = 0
    var isCalm = false
    /// Whether the server was told to stop.
    var isStopping = false
    var violation: Violation?
    var record = Record()

    /// How a server ends that is not told to.
    enum Death {
        /// The process; what it wrote is there.
        case process
        /// The machine.
        case power
    }

    init(seed: UInt64, change: (inout Plan) -> Void = { _ in }) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        plan = Plan(using: &random)
        change(&plan)
        network = SimulatedNetwork(random.branch())
        network.failures = plan.socketFailures
        self.random = random
        disk.observe(
            SimulatedDisk.Observer(
                before: { [unowned self] in diskIsCalled() },
                writing: { [unowned self] name, bytes in note(bytes, to: name) },
                synced: { [unowned self] name in if !isOpening { witness.noteSynced(name) } }))
    }

    /// A server on which nothing goes wrong and nobody plays, for a test that moves it by itself.
    static func quiet(loopCount: Int = 1) throws -> Stage {
        let stage = Stage(seed: 1) {
            $0.becomeQuiet(stepCount: 0)
            $0.loopCount = loopCount
        }
        try stage.start()
        try stage.settle()
        for poller in stage.incarnation?.pollers ?? [] { poller.isEager = true }
        return stage
    }

    /// Plays to the end, or to the first promise that is broken.
    func play() -> Record {
        do throws(Violation) {
            try start()
            try settle()
            castClients()
            for _ in 0..<plan.stepCount { try step() }
            try comeToRest()
            try stop()
            try start()
            try settle()
            try checkNothingIsOwed()
        } catch {
            violation = violation ?? error
        }
        bury()
        disk.observe(nil)
        (record.diskCallCount, record.socketCallCount) = (disk.callCount, network.callCount)
        record.violation = violation
        for client in clients {
            switch client {
            case let writer as Writer: record.acknowledgedCount += writer.acknowledgedCount
            case let follower as PollFollower: record.eventCount += follower.answerCount
            case let follower as StreamFollower: record.eventCount += follower.eventCount
            case let client as RealtimeClient:
                record.acknowledgedCount += client.acknowledgedCount
                record.pushCount += client.pushCount
                record.sessionCount += client.sessionCount
                record.crossingCount += client.crossingCount
            default: break
            }
        }
        return record
    }

    /// One thing happens.
    private func step() throws(Violation) {
        record.stepCount += 1
        if death == nil {
            goWrong()
            actOnce()
            checkJournalHasAll()
        }
        if let violation { throw violation }
        try beginAgain()
    }

    /// Here somebody may write again before it is noticed; with nobody else there it would wait for ever.
    private func checkJournalHasAll() {
        guard death == nil, incarnation?.services.recorder.keepsRecordsBack ?? false else { return }
        violation = violation ?? Violation("records wait, and nobody has given them to the journal")
    }

    /// Starts the server again if it has ended.
    func beginAgain() throws(Violation) {
        guard let death else { return }
        trace(death == .power ? "== the power goes" : "== the process ends")
        bury()
        network.close(losingFlights: death == .power)
        if death == .power { disk.restart(using: &random) } else { disk.resume() }
        self.death = nil
        record.crashCount += 1
        try start()
    }

    /// Somebody does a little; nobody waits for anybody.
    func actOnce() {
        guard let incarnation, death == nil, violation == nil else { return }
        let loop = Int.random(in: 0..<plan.loopCount, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: incarnation.turn(loop: loop)
        case 6..<9: turnJournal()
        case 9..<11: if !incarnation.isInJournal { _ = incarnation.work(2) }
        case 11..<15: for _ in 0..<3 { _ = network.moveSomething() }
        case 15..<19: for _ in 0..<3 { act() }
        default: clock.advance(milliseconds: Int64.random(in: 0...50, using: &random))
        }
    }

    private func act() {
        guard !clients.isEmpty else { return }
        attempt { () throws(Violation) in
            try clients[Int.random(in: 0..<clients.count, using: &random)].act(self)
        }
    }

    /// Notes the first promise that is broken.
    func attempt(_ body: () throws(Violation) -> Void) {
        do throws(Violation) {
            try body()
        } catch {
            violation = violation ?? error
        }
    }

    func turnJournal() {
        guard let incarnation, death == nil, !incarnation.isInJournal else { return }
        do throws(StorageFailure) {
            _ = try incarnation.turnJournal()
        } catch {
            die(of: error)
        }
    }

    /// The server ends itself, since it cannot trust its disk.
    func die(of failure: StorageFailure) {
        trace("the server stops: \(failure)")
        death = death ?? .process
        disk.halt()
    }

    /// Lets go of the server that has ended.
    func bury() {
        guard let incarnation else { return }
        if death == nil { death = .process }
        disk.halt()
        // Jobs and messages keep the server alive, and leave others when they go; the disk takes nothing from
        // them any more.
        while incarnation.services.workers.runNext() {}
        for mailbox in incarnation.services.mailboxes {
            var messages: [LoopMessage] = []
            mailbox.drain(into: &messages)
        }
        for loop in incarnation.loops { loop.closeAll() }
        while incarnation.services.workers.runNext() {}
        self.incarnation = nil
    }
}
