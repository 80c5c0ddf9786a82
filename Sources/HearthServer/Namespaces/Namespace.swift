// One database of the server: its state behind a lock, and what is done while the lock is held.
import HearthCore
import HearthEngine
import HearthRules
import HearthStorage
import HearthSync
import Synchronization

/// A namespace. The loop that read a request does the work under its lock; nothing that can wait happens
/// there.
final class Namespace: Sendable {
    struct Guarded: ~Copyable {
        var database: Database
        var random: Randomness
        /// Where records are encoded.
        var record = EncodedRecord()
        var isDeleted = false
        /// The journal position of the newest record, commit or not.
        var position: Position
        var marks: HistoryMarks
    }

    let name: String
    /// Never used again for another namespace while the process runs.
    let number: Int
    let epoch: String
    let guarded: Mutex<Guarded>
    /// The last refusals of the rules; a leaf lock.
    let denials = Mutex(DenialRecord())
    private let wasGivenRules: Atomic<Bool>

    init(
        name: String, number: Int, database: consuming Database, marks: HistoryMarks, position: Position,
        random: Randomness
    ) {
        self.name = name
        self.number = number
        epoch = database.epoch
        wasGivenRules = Atomic(database.newest.rules != nil)
        guarded = Mutex(Guarded(database: database, random: random, position: position, marks: marks))
    }

    /// Whether rules were ever stored, durable or not. It never turns false again.
    var hasRules: Bool { wasGivenRules.load(ordering: .acquiring) }
}

/// What a request saw, and how far the journal must have come before it may be told.
struct Sight: Sendable {
    let state: State
    let position: Position
    /// The rules in force at that state; nil if none were ever stored.
    let rules: StandingRules?
}

/// Why a write is not done.
enum WriteRefusal: Error {
    /// The client asked for what cannot be; with what it saw.
    case refused(Refusal, Sight)
    /// The rules do not allow it, for this reason if it was asked for; and where what they saw ends in the
    /// journal.
    case denied(Explanation?, Position)
    /// The condition would take long to look at for this value, which stands there now: it is to be tried
    /// again when what it needs is known.
    case unready(Node)
    /// The journal has no room now for the record, which has so many bytes.
    case failed(StorageFailure, byteCount: Int)
    /// The namespace was deleted meanwhile.
    case gone
}

/// Why somebody does not become a subscriber.
enum EntryRefusal: Error {
    /// The rules do not allow it, for this reason if it was asked for; and where what they saw ends in the
    /// journal.
    case denied(Explanation?, Position)
    /// The namespace was deleted meanwhile.
    case gone
}

/// What a write led to.
struct Written: Sendable {
    let publication: Publication
    /// The name that a push was given.
    let key: Key?
}

/// What must be woken once the lock is given back.
struct Wakes {
    var loops = LoopSet()
    var journal = false

    /// Wakes them.
    ///
    /// - Parameter loop: the loop that calls, if it is in a turn: it looks into its mailbox anyway, and gives
    ///   the journal all records of the turn at once.
    func ring(_ services: Services, from loop: Int?) {
        for index in 0..<services.mailboxes.count where index != loop && loops.contains(index) {
            services.mailboxes[index].ring()
        }
        if journal && loop == nil { services.recorder.handOver() }
    }
}

extension Namespace {
    /// What a read sees: the newest durable state, or for a client that is owed a newer write the newest one.
    ///
    /// How far everything is durable is looked up at this moment. What a loop knew when its turn began is not
    /// enough: another loop may have acknowledged more since, to whoever asks now.
    func look(_ services: Services, newestOwn: Position) -> Sight? {
        let durable = services.durable.position
        return guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            guarded.database.durable(upTo: durable)
            #if DEBUG
                if PlantedFault.isPlanted(.readsUndurable) {
                    let state = guarded.database.newest
                    return Sight(state: state, position: 0, rules: guarded.database.rules(of: state))
                }
            #endif
            guard newestOwn > durable, guarded.database.newestPosition > durable else {
                let state = guarded.database.durable
                return Sight(state: state, position: 0, rules: guarded.database.rules(of: state))
            }
            return Namespace.newest(guarded)
        }
    }

    /// The newest state, durable or not.
    func newest() -> Sight? {
        guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            return Namespace.newest(guarded)
        }
    }

    static func newest(_ guarded: borrowing Guarded) -> Sight {
        let state = guarded.database.newest
        return Sight(
            state: state, position: guarded.database.newestPosition, rules: guarded.database.rules(of: state))
    }

    /// Everything that a checkpoint keeps of it, as it is now; nil if it was deleted.
    func capture() -> NamespaceState? {
        guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            let newest = guarded.database.newest
            var state = NamespaceState(name: name, epoch: epoch, position: guarded.position)
            state.revision = newest.revision
            state.floor = guarded.database.historyFloor
            state.lastTime = newest.time
            state.rules = newest.rules?.text
            state.root = newest.root
            state.onDisconnect = guarded.database.onDisconnectRecords
            #if DEBUG
                if PlantedFault.isPlanted(.checkpointsNoLeavings) { state.onDisconnect = [:] }
            #endif
            return state
        }
    }

    /// The journal position after which its history needs every record.
    var neededPosition: Position {
        guarded.withLock { guarded in
            guarded.marks.needed(from: guarded.database.historyFloor)
        }
    }

    /// How many views have subscribers, and how far history goes back.
    var figures: (views: Int, revision: Revision, floor: Revision) {
        guarded.withLock { guarded in
            (guarded.database.viewCount, guarded.database.revision, guarded.database.historyFloor)
        }
    }

    /// Has the history forget what no longer fits `limits`.
    func limit(_ limits: Database.Limits) -> [Retired] {
        guarded.withLock { guarded in
            guarded.database.limits = limits
            return guarded.database.takeRetired()
        }
    }
}

extension Namespace {
    /// A write on its way: what is asked, and how it is recorded.
    struct Request {
        /// Makes the write, given the name for a push.
        enum Form {
            case write(Write)
            /// Writes a new child below the place.
            case push(Path, Draft)
            /// Puts other rules in force.
            case rules(RuleSet)
        }

        let form: Form
        /// Who asks.
        var asker = Asker.administrator
        /// Whether a refusal of the rules is to be explained.
        var explains = false
        /// The synced file that holds the value already, if it is large.
        var file: (claim: BulkFileClaim, mode: BulkCommit.Mode)?
        var condition: WriteCondition?
    }

    /// Does a write: works it out, gives it a place in the journal, and tells the loops that must hear of it.
    func write(_ request: Request, services: Services, from loop: Int?) throws(WriteRefusal) -> Written {
        var wakes = Wakes()
        var retired: [Retired] = []
        let durable = services.durable.position
        let now = services.clock.milliseconds
        let (result, build, isOwing) = guarded.withLock { guarded in
            guarded.database.durable(upTo: durable)
            defer { retired = guarded.database.takeRetired() }
            let result = commit(request, &guarded, now: now, services, &wakes)
            return (result, guarded.database.beginIndexBuild(), guarded.database.hasOverdueSessions)
        }
        wakes.ring(services, from: loop)
        if !retired.isEmpty { services.free(retired) }
        if let build { run(build, services) }
        let written = try result.get()
        // There was room for this one.
        if isOwing { runOverdue(services: services, from: loop) }
        return written
    }

    /// Decides on the newest state and writes what was decided, in one step that nothing comes between.
    ///
    /// - Parameter decide: given the data, the time and chance, says what is to be written and what came of
    ///   it; it runs under the lock, so it must be short. No two of its places may lead on to each other.
    /// - Returns: what came of it, and where that ends in the journal.
    func transact<Value>(
        _ services: Services, from loop: Int?,
        _ decide: (Node, Int64, inout Randomness) -> (edits: [(path: Path, node: Node)], value: Value)
    ) throws(WriteRefusal) -> (value: Value, position: Position) {
        var wakes = Wakes()
        var retired: [Retired] = []
        let durable = services.durable.position
        let clock = services.clock.milliseconds
        let result: Result<(Value, Position), WriteRefusal> = guarded.withLock { guarded in
            guarded.database.durable(upTo: durable)
            defer { retired = guarded.database.takeRetired() }
            let now = guarded.database.time(now: clock)
            let (edits, value) = decide(guarded.database.newest.root, now, &guarded.random)
            guard !edits.isEmpty else { return .success((value, guarded.database.newestPosition)) }
            let ordered = edits.filter { !$0.node.isEmpty } + edits.filter { $0.node.isEmpty }
            let write = Write.update(.root, ordered.map { ($0.path, Draft($0.node)) })
            return commit(Request(form: .write(write)), &guarded, now: now, services, &wakes)
                .map { (value, $0.publication.position) }
        }
        wakes.ring(services, from: loop)
        if !retired.isEmpty { services.free(retired) }
        let (value, position) = try result.get()
        return (value, position)
    }

    private func commit(
        _ request: Request, _ guarded: inout Guarded, now: Int64, _ services: Services, _ wakes: inout Wakes
    ) -> Result<Written, WriteRefusal> {
        guard !guarded.isDeleted else { return .failure(.gone) }
        if let condition = request.condition {
            let place = guarded.database.newest.root.descendant(at: request.form.path)
            guard condition.isReady(for: place) else { return .failure(.unready(place)) }
        }
        var judgement = WriteJudgement(request.asker, explains: request.explains)
        do throws(Refusal) {
            let (proposal, key) = try prepare(request, &judgement, &guarded, now: now)
            if services.keepsRecords { encode(proposal.commit, request, into: &guarded.record) }
            let record = services.keepsRecords ? guarded.record : nil
            do throws(StorageFailure) {
                if let record { try services.recorder.reserve(record.byteCount) }
            } catch {
                #if DEBUG
                    if PlantedFault.isPlanted(.keepsRefusedWrite) {
                        let position = services.recorder.append(record, isReserved: false)
                        _ = guarded.database.commit(proposal, at: position)
                    }
                #endif
                return .failure(.failed(error, byteCount: record?.byteCount ?? 0))
            }
            let position = services.recorder.append(record, isReserved: true)
            guarded.position = position
            guarded.marks.note(proposal.commit.revision, at: position)
            request.file?.claim.noteRecorded(at: position)
            let publication = guarded.database.commit(proposal, at: position)
            if publication.rules != nil { wasGivenRules.store(true, ordering: .releasing) }
            wakes.journal = true
            post(publication, services, &wakes)
            return .success(Written(publication: publication, key: key))
        } catch {
            let sight = Namespace.newest(guarded)
            guard error == .permissionDenied else { return .failure(.refused(error, sight)) }
            noteDenial(of: request.form.path, isWrite: true, judgement.verdict?.denial, at: now)
            return .failure(.denied(judgement.explanation, sight.position))
        }
    }

    private func prepare(
        _ request: Request, _ judgement: inout WriteJudgement, _ guarded: inout Guarded, now: Int64
    ) throws(Refusal) -> (Proposal, Key?) {
        let write: Write
        var key: Key?
        switch request.form {
        case .rules(let rules): return (guarded.database.prepare(rules, now: now), nil)
        case .write(let given): write = given
        case .push(let path, let draft):
            let name = guarded.database.pushID(now: now, using: &guarded.random)
            write = .set(path.appending(name), draft)
            key = name
        }
        let proposal = try guarded.database.prepare(
            write, by: &judgement, condition: request.condition, now: now)
        return (proposal, key)
    }

    private func encode(_ commit: Commit, _ request: Request, into record: inout EncodedRecord) {
        guard let file = request.file else {
            return record.replace(with: commit, in: name)
        }
        let bulk = BulkCommit(
            revision: commit.revision, time: commit.time, path: commit.base, mode: file.mode,
            file: file.claim.reference, undo: commit.undo)
        record.replace(with: JournalRecord(namespace: name, .bulk(bulk)))
    }

    /// Tells every loop that has subscribers of a touched view, once; under the lock, so that they hear in
    /// the order of the commits.
    func post(_ publication: Publication, _ services: Services, _ wakes: inout Wakes) {
        services.metrics.commits.add()
        var loops = LoopSet()
        for touched in publication.touched { loops.formUnion(touched.loops) }
        for shaken in publication.shaken { loops.formUnion(shaken.loops) }
        if publication.commit.kind == .rules {
            for index in 0..<services.mailboxes.count { loops.insert(index) }
        }
        guard !loops.isEmpty else { return }
        for index in 0..<services.mailboxes.count where loops.contains(index) {
            if services.mailboxes[index].add(.published(number, publication)) { wakes.loops.insert(index) }
        }
    }
}

extension Namespace {
    /// Has indexes that are missing built by a worker, beside the writes that go on.
    func buildIndexes(_ services: Services) {
        let build = guarded.withLock { $0.database.beginIndexBuild() }
        if let build { run(build, services) }
    }

    func run(_ build: IndexBuild, _ services: Services) {
        services.workers.run { [self] in
            var next: IndexBuild? = build
            while let build = next {
                let built = build.run()
                next = guarded.withLock { $0.database.finishIndexBuild(built) }
            }
        }
    }

    /// Asks for an index that no rule defines, for an order that many are asked for.
    func demandIndex(for view: View, _ services: Services) {
        let build = guarded.withLock { guarded in
            guarded.database.demandIndex(for: view)
            return guarded.database.beginIndexBuild()
        }
        if let build { run(build, services) }
    }

    /// Judges a subscriber, enters it and takes the state that it begins with, in one step.
    func subscribe(
        to view: View, on loop: Int, since cursor: Cursor?, by judgement: inout ReadJudgement, now: Int64
    ) throws(EntryRefusal) -> HearthEngine.Subscription {
        var asked = judgement
        let result: Result<HearthEngine.Subscription, EntryRefusal> = guarded.withLock { guarded in
            guard !guarded.isDeleted else { return .failure(.gone) }
            do throws(Refusal) {
                let entry = try guarded.database.subscribe(
                    to: view, on: loop, since: cursor, by: &asked, now: now)
                return .success(entry)
            } catch {
                return .failure(.denied(asked.explanation, guarded.database.newestPosition))
            }
        }
        judgement = asked
        if case .failure(.denied) = result {
            noteDenial(of: judgement.path, isWrite: false, judgement.verdict?.denial, at: now)
        }
        return try result.get()
    }

    /// Judges a subscriber again for the newest state.
    ///
    /// - Returns: nil if it may still read; else where what took that away ends in the journal.
    func judgeAgain(_ judgement: inout ReadJudgement, on loop: Int, now: Int64) -> Position? {
        var asked = judgement
        defer { judgement = asked }
        return guarded.withLock { guarded in
            do throws(Refusal) {
                try guarded.database.judgeAgain(&asked, on: loop, now: now)
                return nil
            } catch {
                return guarded.database.newestPosition
            }
        }
    }

    /// Takes a subscriber out.
    func unsubscribe(from view: ViewID, on loop: Int, judged judgement: ReadJudgement) {
        guarded.withLock { $0.database.unsubscribe(from: view, on: loop, judged: judgement) }
    }

    /// Judges a read of what was seen.
    ///
    /// - Throws: `permissionDenied`.
    func judge(_ judgement: inout ReadJudgement, _ sight: Sight, now: Int64) throws(Refusal) {
        guard judgement.isJudged else { return }
        do throws(Refusal) {
            try judgement.judge(sight.state, under: sight.rules, now: now, keepsReads: false)
        } catch {
            noteDenial(of: judgement.path, isWrite: false, judgement.verdict?.denial, at: now)
            throw error
        }
    }

    func noteDenial(of path: Path, isWrite: Bool, _ denial: Denial?, at time: Int64) {
        let entry = DenialRecord.Entry(
            time: time, isWrite: isWrite, path: denial?.path ?? path, rule: denial?.rule,
            failure: denial?.failure)
        denials.withLock { $0.note(entry) }
    }

    /// Marks it as deleted and records that; further requests find nothing.
    ///
    /// - Returns: the position of the record, nil if it was deleted before.
    func delete(_ services: Services) -> Position? {
        var wakes = Wakes()
        let position: Position? = guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            guarded.isDeleted = true
            let record =
                services.keepsRecords ? EncodedRecord(JournalRecord(namespace: name, .deleted)) : nil
            let position = services.recorder.append(record, isReserved: false)
            wakes.journal = true
            guarded.position = position
            return position
        }
        wakes.ring(services, from: nil)
        return position
    }
}

extension Namespace.Request.Form {
    /// The place that the request names; the root for rules.
    var path: Path {
        switch self {
        case .push(let path, _), .write(.set(let path, _)), .write(.update(let path, _)),
            .write(.prioritize(let path, _)):
            path
        case .rules, .write(.rules): .root
        }
    }
}
