// One database of the server: its state behind a lock, and what is done while the lock is held.
import HearthCore
import HearthCrypto
import HearthEngine
import HearthStorage
import HearthSync
import Synchronization

/// A namespace. The loop that read a request does the work under its lock; nothing that can wait happens
/// there.
final class Namespace: Sendable {
    private struct Guarded: ~Copyable {
        var database: Database
        var random = SecureRandom()
        var isDeleted = false
        /// The journal position of the newest record, commit or not.
        var position: Position
        var marks: HistoryMarks
    }

    let name: String
    /// Never used again for another namespace while the process runs.
    let number: Int
    let epoch: String
    private let guarded: Mutex<Guarded>

    init(name: String, number: Int, database: consuming Database, marks: HistoryMarks, position: Position) {
        self.name = name
        self.number = number
        epoch = database.epoch
        guarded = Mutex(Guarded(database: database, position: position, marks: marks))
    }
}

/// What a request saw, and how far the journal must have come before it may be told.
struct Sight: Sendable {
    let state: State
    let position: Position
}

/// Why a write is not done.
enum WriteRefusal: Error {
    /// The client may not, or asked for what cannot be; with what it saw.
    case refused(Refusal, Sight)
    /// The journal has no room now for the record, which has so many bytes.
    case failed(StorageFailure, byteCount: Int)
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
    /// - Parameter loop: the loop that calls, if it looks into its mailbox anyway.
    func ring(_ services: Services, from loop: Int?) {
        for index in 0..<services.mailboxes.count where index != loop && loops.contains(index) {
            services.mailboxes[index].ring()
        }
        if journal { services.recorder.wake() }
    }
}

extension Namespace {
    /// What a read sees: the newest durable state, or for a client that is owed a newer write the newest one.
    func look(durable: Position, newestOwn: Position) -> Sight? {
        guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            guarded.database.durable(upTo: durable)
            guard newestOwn > durable, guarded.database.newestPosition > durable else {
                return Sight(state: guarded.database.durable, position: 0)
            }
            return Sight(state: guarded.database.newest, position: guarded.database.newestPosition)
        }
    }

    /// The newest state, durable or not.
    func newest() -> Sight? {
        guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            return Sight(state: guarded.database.newest, position: guarded.database.newestPosition)
        }
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
        }

        let form: Form
        /// The synced file that holds the value already, if it is large.
        var file: (reference: BulkReference, mode: BulkCommit.Mode)?
        var condition: WriteCondition?
    }

    /// Does a write: works it out, gives it a place in the journal, and tells the loops that must hear of it.
    func write(_ request: Request, services: Services, from loop: Int?) throws(WriteRefusal) -> Written {
        var wakes = Wakes()
        var retired: [Retired] = []
        let durable = services.durable.position
        let now = services.clock.milliseconds
        let (result, build) = guarded.withLock { guarded in
            guarded.database.durable(upTo: durable)
            defer { retired = guarded.database.takeRetired() }
            let result = commit(request, &guarded, now: now, services, &wakes)
            return (result, guarded.database.beginIndexBuild())
        }
        wakes.ring(services, from: loop)
        if !retired.isEmpty { services.free(retired) }
        if let build { run(build, services) }
        return try result.get()
    }

    private func commit(
        _ request: Request, _ guarded: inout Guarded, now: Int64, _ services: Services, _ wakes: inout Wakes
    ) -> Result<Written, WriteRefusal> {
        guard !guarded.isDeleted else { return .failure(.gone) }
        do throws(Refusal) {
            let (write, key) = resolve(request.form, &guarded, now: now)
            let proposal = try guarded.database.prepare(write, condition: request.condition, now: now)
            let record = encode(proposal.commit, request, services)
            do throws(StorageFailure) {
                if let record { try services.recorder.reserve(record.byteCount) }
            } catch {
                return .failure(.failed(error, byteCount: record?.byteCount ?? 0))
            }
            let place = services.recorder.append(record, isReserved: true)
            guarded.position = place.position
            guarded.marks.note(proposal.commit.revision, at: place.position)
            let publication = guarded.database.commit(proposal, at: place.position)
            wakes.journal = place.wakes
            post(publication, services, &wakes)
            return .success(Written(publication: publication, key: key))
        } catch {
            let sight = Sight(state: guarded.database.newest, position: guarded.database.newestPosition)
            return .failure(.refused(error, sight))
        }
    }

    private func resolve(
        _ form: Request.Form, _ guarded: inout Guarded, now: Int64
    ) -> (Write, Key?) {
        switch form {
        case .write(let write): return (write, nil)
        case .push(let path, let draft):
            let key = guarded.database.pushID(now: now, using: &guarded.random)
            return (.set(path.appending(key), draft), key)
        }
    }

    private func encode(_ commit: Commit, _ request: Request, _ services: Services) -> EncodedRecord? {
        guard services.keepsRecords else { return nil }
        guard let file = request.file else {
            return EncodedRecord(JournalRecord(namespace: name, .commit(commit, session: nil)))
        }
        let bulk = BulkCommit(
            revision: commit.revision, time: commit.time, path: commit.base, mode: file.mode,
            file: file.reference, undo: commit.undo)
        return EncodedRecord(JournalRecord(namespace: name, .bulk(bulk)))
    }

    /// Tells every loop that has subscribers of a touched view, once; under the lock, so that they hear in
    /// the order of the commits.
    private func post(_ publication: Publication, _ services: Services, _ wakes: inout Wakes) {
        services.metrics.commits.add()
        var loops = LoopSet()
        for touched in publication.touched { loops.formUnion(touched.loops) }
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

    private func run(_ build: IndexBuild, _ services: Services) {
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

    /// Enters a subscriber and takes the state that it begins with, in one step.
    func subscribe(to view: View, on loop: Int, since cursor: Cursor?) -> HearthEngine.Subscription? {
        guarded.withLock { guarded in
            guard !guarded.isDeleted else { return nil }
            return guarded.database.subscribe(to: view, on: loop, since: cursor)
        }
    }

    /// Takes a subscriber out.
    func unsubscribe(from view: ViewID, on loop: Int) {
        guarded.withLock { $0.database.unsubscribe(from: view, on: loop) }
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
            let place = services.recorder.append(record, isReserved: false)
            wakes.journal = place.wakes
            guarded.position = place.position
            return place.position
        }
        wakes.ring(services, from: nil)
        return position
    }
}
