// Putting a server together: data first, then what the loops share.
import HearthCore
import HearthCrypto
import HearthEngine
import HearthIdentity
import HearthStorage
import HearthWire

/// The parts of a server that is about to answer.
struct OpenedServer {
    let services: Services
    /// The administrator's token where there is no file that holds it.
    let shownToken: String?
}

extension Server {
    /// Opens the data, and makes the parts that the loops share.
    ///
    /// - Parameter addresses: where it listens, with the ports that were really taken.
    /// - Throws: `StartFailure`; the lock of the data directory is given back then.
    static func open(
        _ configuration: Configuration, on outside: Outside, loopCount: Int, addresses: [SocketAddress] = []
    ) throws(StartFailure) -> OpenedServer {
        let base = try Foundations(configuration, outside, loopCount: loopCount, addresses)
        do throws(StartFailure) {
            switch configuration.storage {
            case .ephemeral: return try base.openEphemeral()
            case .directory(let path): return try base.openDirectory(path)
            }
        } catch {
            base.fileWorkers.stop()
            base.workers.stop()
            throw error
        }
    }
}

/// What is kept beside the namespaces.
private struct Kept {
    let files: FileStore
    let vault: Vault?
}

/// What is there before the data.
private struct Foundations {
    let configuration: Configuration
    let outside: Outside
    let mailboxes: [Mailbox]
    let workers: Workers
    let fileWorkers: Workers
    let publicDirectory: PublicDirectory?
    let memory: MemoryBound
    let issuers: [TokenIssuer]
    let addresses: [SocketAddress]
    let certificates: Certificates?

    init(
        _ configuration: Configuration, _ outside: Outside, loopCount: Int, _ addresses: [SocketAddress]
    ) throws(StartFailure) {
        self.configuration = configuration
        self.outside = outside
        self.addresses = addresses
        issuers = try TokenVerifier.issuers(configuration)
        publicDirectory = try PublicDirectory(configuration)
        certificates = try configuration.tls.map { files throws(StartFailure) in
            try Certificates(files, clock: outside.clock, log: configuration.log)
        }
        do throws(SystemFailure) {
            var mailboxes: [Mailbox] = []
            for _ in 0..<loopCount { mailboxes.append(try Mailbox()) }
            self.mailboxes = mailboxes
            workers = try Workers(count: outside.workerCount)
            // Who runs the work of the one by hand runs that of the other, too.
            fileWorkers =
                outside.workerCount > 0
                ? try Workers(count: outside.workerCount, named: "hearth-file") : workers
        } catch {
            throw .system(error)
        }
        memory = MemoryBound(
            limit: configuration.limits.memoryBytes, gauge: outside.memory, clock: outside.clock,
            workers: workers)
    }

    func openEphemeral() throws(StartFailure) -> OpenedServer {
        let text = outside.adminToken ?? AdminToken.fresh()
        let durable = DurableMark(.max, mailboxes: mailboxes)
        let files = try files(on: MemoryDisk(), limit: min(configuration.limits.allFileBytes, 64 << 20))
        let services = Services(
            try parts(try recorder(nil), durable, Metrics(), AdminToken(text), Kept(files: files, vault: nil))
        )
        return try finish(services, shownToken: text)
    }

    func openDirectory(_ path: String) throws(StartFailure) -> OpenedServer {
        var opened = try recover(path)
        let directory = opened.directory
        let token = try token(path)
        let files = try files(on: outside.disk(path), limit: configuration.limits.allFileBytes)
        let journal = opened.takeJournal()
        let oldest = journal.oldest
        let metrics = Metrics()
        let records = PendingRecords(after: journal.written, room: journal.room)
        let recorder = try recorder(records)
        let durable = DurableMark(journal.written, mailboxes: mailboxes)
        let thread = try journalThread(
            journal,
            JournalThread.Surroundings(
                durability: configuration.durability, clock: outside.clock, log: configuration.log,
                metrics: metrics, workers: workers, recorder: recorder, durable: durable,
                turns: outside.journalTurns))
        let vault = Vault(
            directory: directory, journal: thread, lastCheckpoint: opened.checkpointPosition,
            replayedByteCount: opened.report.replayedByteCount)
        let services = Services(
            try parts(recorder, durable, metrics, token, Kept(files: files, vault: vault)))
        for (name, found) in opened.namespaces {
            let state = State(
                root: found.state.root, revision: found.state.revision, time: found.state.lastTime,
                rules: found.state.rules.map { StoredRules(stored: $0) })
            let limits =
                name == Namespaces.accountsName
                ? Namespaces.accountsLimits
                : Database.Limits(
                    historyByteCount: configuration.historyByteLimit / opened.namespaces.count)
            var database = Database(
                epoch: found.state.epoch, state: state, history: found.history, limits: limits)
            for (session, record) in left(in: found.state)
            where !database.adoptOnDisconnect(record, of: session) {
                services.log.error("on-disconnect writes cannot be read", ("namespace", name))
            }
            services.namespaces.adopt(
                name, database, marks: HistoryMarks(floor: found.state.floor, position: oldest - 1),
                position: found.state.position)
        }
        log(opened.report, services)
        for namespace in services.namespaces.all { namespace.buildIndexes(services) }
        vault.watch(services)
        return try finish(services, shownToken: nil)
    }

    /// What sessions had left when the last run ended.
    private func left(in state: NamespaceState) -> [String: [UInt8]] {
        #if DEBUG
            if PlantedFault.isPlanted(.forgetsSessionsAtStart) { return [:] }
        #endif
        return state.onDisconnect
    }

    private func token(_ path: String) throws(StartFailure) -> AdminToken {
        if let text = outside.adminToken { return AdminToken(text) }
        return try AdminToken.load(configuration.tokenFile ?? path)
    }

    private func recover(_ path: String) throws(StartFailure) -> OpenedDirectory {
        let sync: DirectoryOptions.Sync = configuration.durability == .always ? .always : .interval
        let options = DirectoryOptions(
            sync: sync, isEmulator: configuration.isEmulator,
            segments: SegmentSizes(
                first: min(1 << 20, configuration.segmentBytes), later: configuration.segmentBytes),
            history: HistoryLimits(byteCount: configuration.historyByteLimit))
        do throws(StorageFailure) {
            return try DataDirectory.open(outside.disk(path), options, random: outside.randomness())
        } catch {
            throw .storage("\(error)")
        }
    }

    /// Finds the uploaded files.
    private func files(on disk: any Disk, limit: Int) throws(StartFailure) -> FileStore {
        do throws(StorageFailure) {
            let files = try FileStore(on: disk, limit: limit)
            for failure in files.damaged {
                configuration.log.error("an uploaded file is not sound", ("reason", "\(failure)"))
            }
            return files
        } catch {
            throw .storage("\(error)")
        }
    }

    private func log(_ report: OpeningReport, _ services: Services) {
        services.log.info(
            "data opened", ("checkpoint", "\(report.checkpoint)"), ("replayed", "\(report.replayedCount)"),
            ("namespaces", "\(services.namespaces.count)"))
        if report.wasUnclean { services.log.warning("the last run did not end cleanly") }
        if report.cutByteCount > 0 {
            services.log.warning("an unfinished write was cut", ("bytes", "\(report.cutByteCount)"))
        }
        if report.hasNewEpochs { services.log.warning("cursors of before are void") }
        for failure in report.unsoundCheckpoints {
            services.log.error("a checkpoint is not sound", ("reason", "\(failure)"))
        }
    }

    private func recorder(_ records: PendingRecords?) throws(StartFailure) -> Recorder {
        do throws(SystemFailure) {
            return try Recorder(records)
        } catch {
            throw .system(error)
        }
    }

    private func journalThread(
        _ journal: consuming Journal, _ surroundings: JournalThread.Surroundings
    ) throws(StartFailure) -> JournalThread {
        do throws(SystemFailure) {
            return try JournalThread(journal, surroundings)
        } catch {
            throw .system(error)
        }
    }

    private func parts(
        _ recorder: Recorder, _ durable: DurableMark, _ metrics: Metrics, _ token: AdminToken, _ kept: Kept
    ) throws(StartFailure) -> Services.Parts {
        let identity = try Identity(
            configuration, issuers, Identity.Surroundings(outside, addresses, durable, workers))
        return Services.Parts(
            configuration: configuration, outside: outside, metrics: metrics, workers: workers,
            fileWorkers: fileWorkers, publicDirectory: publicDirectory, memory: memory, mailboxes: mailboxes,
            durable: durable, recorder: recorder,
            namespaces: Namespaces(
                limit: configuration.limits.namespaces, randomness: outside.randomness),
            access: Access(adminToken: token, tokens: identity.tokens, isEmulator: configuration.isEmulator),
            accounts: identity.accounts, certificates: certificates, files: kept.files, vault: kept.vault)
    }

    /// Starts the journal and makes the namespace that always exists.
    private func finish(_ services: Services, shownToken: String?) throws(StartFailure) -> OpenedServer {
        do throws(SystemFailure) {
            try services.vault?.journal.start()
        } catch {
            throw .system(error)
        }
        do throws(RESTError) {
            _ = try services.namespaces.findOrCreate("default", services: services)
        } catch {
            services.vault?.journal.stop()
            throw .configuration(error.text)
        }
        for namespace in services.namespaces.all {
            guard let fault = namespace.newest()?.rules?.fault else { continue }
            services.log.error(
                "stored rules cannot be used and lock everybody out; store them anew",
                ("namespace", namespace.name), ("reason", "\(fault)"))
        }
        return OpenedServer(services: services, shownToken: shownToken)
    }
}
