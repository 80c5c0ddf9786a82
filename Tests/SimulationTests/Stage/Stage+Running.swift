// The server's beginning and end, and what is held against the truth then.
import HearthCore
import HearthStorage
import HearthTesting
import HearthWire

@testable import HearthServer
@testable import HearthStorage

extension Stage {
    /// Starts a server on what the disk holds, again and again if it is cut off.
    func start() throws(Violation) {
        while true {
            planDisk()
            let first = disk.callCount
            if let crashOdds = plan.crashOdds, !isCalm, record.crashCount > 0,
                random.oneIn(crashOdds / 10 + 2)
            {
                let call = disk.callCount + Int.random(in: 1...20, using: &random)
                planDisk(powerLossAt: call)
            }
            switch open() {
            case .success(let services): return try begin(services)
            case .failure(let failure):
                trace("no start: \(failure)")
                record.crashCount += 1
                if disk.hasPower {
                    let failed = plan.diskFailures.keys.contains { first < $0 && $0 <= disk.callCount }
                    guard failed, "\(failure)".contains("/data") else {
                        throw Violation("the server does not start: \(failure)")
                    }
                    disk.resume()
                } else {
                    disk.restart(using: &random)
                }
            }
        }
    }

    private func open() -> Result<Services, StartFailure> {
        isOpening = true
        defer { isOpening = false }
        do throws(StartFailure) {
            let opened = try Server.open(plan.configuration(log), on: outside, loopCount: plan.loopCount)
            return .success(opened.services)
        } catch {
            return .failure(error)
        }
    }

    private func begin(_ services: Services) throws(Violation) {
        let position = services.durable.position
        guard position >= witness.durable, position <= witness.written else {
            throw Violation(
                "the journal ends at \(position); synced was \(witness.durable), written \(witness.written)")
        }
        attempt { () throws(Violation) in
            for record in witness.takeRecords() { try take(record) }
            for name in chronicles.keys.sorted() { try chronicles[name]?.truncate(after: position) }
        }
        if let violation { throw violation }
        witness.begin(at: position)
        knownFailureCount = disk.failedCallCount
        // Whoever was connected is so no longer.
        sessionLines = [:]
        do {
            let incarnation = try Incarnation(services, loopCount: plan.loopCount, on: network, &random)
            self.incarnation = incarnation
        } catch {
            throw Violation("no loop: \(error)")
        }
        death = nil
        try compare(services)
        createNamespaces(services)
        // As a server does that starts.
        services.runAllOnDisconnect()
        network.open(loopCount: plan.loopCount)
        trace("== a server runs from position \(position)")
    }

    /// What was found is what the journal's records made, by the plain model.
    private func compare(_ services: Services) throws(Violation) {
        for namespace in services.namespaces.all {
            guard let chronicle = chronicles[namespace.name], !chronicle.epoch.isEmpty,
                let state = namespace.newest()?.state
            else { continue }
            let value = Value(json: NodeSerializer.bytes(of: state.root)) ?? .null
            guard state.revision == chronicle.revision, value == chronicle.tree(at: chronicle.revision) else {
                throw Violation(
                    "\(namespace.name) is found at \(state.revision) as \(value.summary); it was at "
                        + "\(chronicle.revision) \(chronicle.tree(at: chronicle.revision).summary)")
            }
            guard namespace.epoch == chronicle.epoch else {
                throw Violation("\(namespace.name): the epoch has changed: older cursors are void")
            }
        }
        for (name, chronicle) in chronicles where !chronicle.epoch.isEmpty {
            guard services.namespaces.find(name) != nil else { throw Violation("\(name) is lost") }
        }
    }

    private func createNamespaces(_ services: Services) {
        do throws(RESTError) {
            _ = try services.namespaces.findOrCreate("beta", services: services)
        } catch {
            violation = violation ?? Violation("a namespace cannot be made: \(error)")
        }
    }

    private var log: Log {
        Log(threshold: .debug) { [unowned self] line in
            trace(String(line.drop { $0 != " " }.dropFirst()))
        }
    }

    private var outside: Outside {
        var outside = Outside()
        outside.clock = clock
        outside.memory = AmpleMemory()
        outside.disk = { [disk] _ in disk }
        let seeds = SeededRandom(seed: random.next())
        outside.randomness = { Randomness(seeds) }
        outside.adminToken = administratorToken
        outside.workerCount = 0
        outside.journalTurns = { [unowned self] in makeJournalTurns() }
        outside.end = { [unowned self] failure, _ in die(of: failure) }
        return outside
    }

    /// Somebody waits until the journal has done everything.
    private func makeJournalTurns() {
        for _ in 0..<100 {
            guard let incarnation, death == nil, !incarnation.isInJournal else { return }
            do throws(StorageFailure) {
                guard try incarnation.turnJournal() else { return }
            } catch {
                return die(of: error)
            }
        }
    }

    /// Lets the server do all that it has to do, without any fault.
    func settle() throws(Violation) {
        guard let incarnation else { return }
        for _ in 0..<20 {
            for index in incarnation.loops.indices { incarnation.turn(loop: index) }
            turnJournal()
            while incarnation.work(2) {}
        }
        if let violation { throw violation }
    }

    /// Nothing goes wrong any more, nobody has anything new to say, and all hear what is owed to them.
    func comeToRest() throws(Violation) {
        isCalm = true
        trace("== calm")
        if incarnation == nil { try start() }
        // Without power the server only has not called the disk yet.
        if !disk.hasPower {
            death = .power
            try beginAgain()
        }
        planDisk()
        for client in clients { client.calmDown() }
        for round in 0..<6_000 {
            network.moveAll()
            clock.advance(milliseconds: 20)
            for client in clients { attempt { () throws(Violation) in try client.act(self) } }
            try settleOnce()
            if round % 5 == 0, waitedFor.isEmpty { return }
        }
        throw Violation("it does not come to rest: \(waitedFor)")
    }

    private func settleOnce() throws(Violation) {
        guard let incarnation else { return }
        for poller in incarnation.pollers { poller.isEager = true }
        for index in incarnation.loops.indices { incarnation.turn(loop: index) }
        turnJournal()
        while incarnation.work(2) {}
        if let violation { throw violation }
        guard death != nil else { return }
        // It may have met the failure before, and only told of it now.
        guard disk.failedCallCount > knownFailureCount else {
            throw Violation("the server has ended although nothing went wrong")
        }
        try beginAgain()
    }

    /// Who is still owed something, and which sessions have ended and still owe what they have left.
    private var waitedFor: [String] {
        let present = Set(clients.compactMap { ($0 as? RealtimeClient)?.session })
        let owed = chronicles.values.flatMap(\.owedSessions).filter { !present.contains($0) }.sorted()
        return clients.filter { !isAtRest($0) }.map(\.name) + owed.map { "what \($0) leaves" }
    }

    /// When a server has stopped and begun again, nothing is left.
    func checkNothingIsOwed() throws(Violation) {
        guard death == nil, let owed = chronicles.values.flatMap(\.owedSessions).min() else { return }
        throw Violation("what \(owed) has left was never written")
    }

    private func isAtRest(_ client: any Client) -> Bool {
        switch client {
        case let follower as PollFollower:
            guard let chronicle = chronicles[follower.namespace] else { return true }
            return follower.isUpToDate(chronicle.revision) || !follower.mayRead(chronicle)
        case let follower as StreamFollower:
            guard let chronicle = chronicles[follower.namespace] else { return true }
            return follower.isUpToDate(chronicle.revision, chronicle) || !follower.mayRead(chronicle)
        case let client as RealtimeClient:
            guard let chronicle = chronicles[client.namespace] else { return true }
            return client.isAtRest(chronicle)
        default: return client.isCalm
        }
    }

    /// Stops the server as a signal does.
    func stop() throws(Violation) {
        guard let incarnation else { return }
        trace("== stop")
        isStopping = true
        defer { isStopping = false }
        for mailbox in incarnation.services.mailboxes { mailbox.post(.stop) }
        for _ in 0..<2_000 where !incarnation.hasStopped {
            network.moveAll()
            clock.advance(milliseconds: 20)
            for client in clients { attempt { () throws(Violation) in try client.act(self) } }
            for index in incarnation.loops.indices { incarnation.turn(loop: index) }
            turnJournal()
            while incarnation.work(2) {}
        }
        for loop in incarnation.loops { loop.closeAll() }
        if death == nil { incarnation.services.runAllOnDisconnect() }
        incarnation.services.close()
        self.incarnation = nil
        network.close(losingFlights: false)
        if let violation { throw violation }
        disk.resume()
    }
}
