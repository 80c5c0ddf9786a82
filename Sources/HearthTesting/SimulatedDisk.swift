// A disk in memory that forgets, tears and fails on a seed, as real ones do when the power goes.
public import HearthStorage
import Synchronization

/// A directory in memory. What was not synced survives a power loss only by chance: any sectors of any
/// writes, the last write torn at any byte, any of the changed names.
///
/// Calls that change something are counted from 1; faults are planned for them by number. All handles and
/// locks of before a power loss are dead.
public final class SimulatedDisk: Disk {
    /// What goes wrong, and when.
    public struct Faults: Sendable {
        /// In the call of that number the power goes: it is done in part, and every later one fails.
        public var powerLossAt: Int?
        /// The calls that fail without doing anything: true as a full disk, false as a broken one.
        public var failures: [Int: Bool]
        /// How many bytes all files may have together.
        public var capacity: Int

        /// By default nothing goes wrong.
        public init(powerLossAt: Int? = nil, failures: [Int: Bool] = [:], capacity: Int = .max) {
            self.powerLossAt = powerLossAt
            self.failures = failures
            self.capacity = capacity
        }
    }

    /// Who is told of the calls that change something, while none of the disk's own locks is held.
    public struct Observer: Sendable {
        /// Before each such call: time may pass, others may act, faults may be planned for it.
        public var before: @Sendable () -> Void
        /// Before bytes are written to a file that was opened by this name.
        public var writing: @Sendable (_ name: String, _ bytes: [UInt8]) -> Void
        /// After all that was written to a file opened by this name is synced.
        public var synced: @Sendable (_ name: String) -> Void

        /// Puts an observer together.
        public init(
            before: @escaping @Sendable () -> Void,
            writing: @escaping @Sendable (_ name: String, _ bytes: [UInt8]) -> Void,
            synced: @escaping @Sendable (_ name: String) -> Void
        ) {
            self.before = before
            self.writing = writing
            self.synced = synced
        }
    }

    /// The process that locks are said to be held by.
    public static let process: Int32 = 4_242

    /// The path that messages show.
    public let location: String
    private let state: Mutex<SimulatedDiskState>
    private let observer = Mutex<Observer?>(nil)

    /// An empty directory.
    public init(location: String = "/data", faults: Faults = Faults()) {
        self.location = location
        state = Mutex(SimulatedDiskState(location: location, faults: faults))
    }

    private init(copyOf state: SimulatedDiskState) {
        location = state.location
        self.state = Mutex(state)
    }

    /// How many calls have changed something so far.
    public var callCount: Int { state.withLock { $0.callCount } }

    /// How many of them have failed because that was planned.
    public var failedCallCount: Int { state.withLock { $0.failedCallCount } }

    /// Whether calls are taken at present.
    public var hasPower: Bool { state.withLock { $0.hasPower } }

    /// How many bytes all files have together.
    public var usedByteCount: Int { state.withLock { $0.usedByteCount } }

    /// Plans faults; their numbers go on counting from the calls that have been made.
    public func plan(_ faults: Faults) {
        state.withLock { $0.faults = faults }
    }

    /// Has somebody told of the calls from now on.
    public func observe(_ observer: Observer?) {
        self.observer.withLock { $0 = observer }
    }

    /// Lets every call fail from now on, as for a process that has ended; what was written stays.
    public func halt() {
        state.withLock { $0.halt() }
    }

    /// Takes calls again after `halt()`, those of another process: nothing that was written is lost.
    public func resume() {
        state.withLock { $0.resume() }
    }

    /// Takes the power away, if that has not happened yet, and gives it back: what survives is drawn from
    /// `random`. No faults are planned then.
    public func restart(using random: inout SeededRandom) {
        var drawn = random.branch()
        state.withLock { $0.restart(using: &drawn) }
    }

    /// Ends all handles and locks as the end of the process does: nothing that was written is lost.
    public func endProcess() {
        state.withLock { $0.endProcess() }
    }

    /// An independent disk with the same contents, without locks and faults.
    public func copy() -> SimulatedDisk {
        let copy = SimulatedDisk(copyOf: state.withLock { $0 })
        copy.endProcess()
        copy.plan(Faults())
        return copy
    }

    /// All bytes of a file as a reader sees them; empty if there is none.
    public func bytes(of name: String) -> [UInt8] {
        state.withLock { $0.bytes(of: name) }
    }

    /// Puts other bytes into a file, durably: what a bad disk or a curious person would do.
    public func overwrite(_ name: String, with bytes: [UInt8]) {
        state.withLock { $0.overwrite(name, with: bytes) }
    }
}

extension SimulatedDisk {
    /// Does nothing: the directory is always there.
    public func makeDirectory() throws(StorageFailure) {
        try perform("make the directory", "") { $0.checkPower() }
    }

    /// The names as a reader sees them.
    public func list() throws(StorageFailure) -> [String] {
        try perform("list", "") { state in state.checkPower().map { state.names.keys.sorted() } }
    }

    /// Makes an empty file.
    public func create(_ name: String) throws(StorageFailure) -> any DiskFile {
        let (file, generation) = try alter("create", name) { $0.create(name) }
        return SimulatedFile(self, name: name, file: file, generation: generation)
    }

    /// Opens a file.
    public func open(_ name: String, for access: DiskAccess) throws(StorageFailure) -> any DiskFile {
        let (file, generation) = try perform("open", name) { $0.open(name) }
        return SimulatedFile(self, name: name, file: file, generation: generation)
    }

    /// Gives a file another name.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        try alter("rename", name) { $0.change(.rename(name, newName)) }
    }

    /// Removes a name.
    public func remove(_ name: String) throws(StorageFailure) {
        try alter("remove", name) { $0.change(.remove(name)) }
    }

    /// Makes the names durable.
    public func syncDirectory() throws(StorageFailure) {
        try alter("sync the directory", "") { $0.syncNames() }
    }

    /// What is left of the capacity.
    public func freeByteCount() throws(StorageFailure) -> Int {
        try perform("ask", "") { state in state.checkPower().map { state.freeByteCount } }
    }

    /// Takes a lock.
    public func lock(_ name: String) throws(StorageFailure) -> any DiskLock {
        let generation = try perform("lock", name) { $0.lock(name) }
        return SimulatedLock(self, name: name, generation: generation)
    }

    /// The process that has the lock.
    public func lockHolder(_ name: String) throws(StorageFailure) -> Int32? {
        state.withLock { $0.locks.contains(name) ? SimulatedDisk.process : nil }
    }

    fileprivate func unlock(_ name: String, generation: Int) {
        state.withLock { state in
            if state.generation == generation { state.locks.remove(name) }
        }
    }

    fileprivate func note(_ body: (Observer) -> Void) {
        if let observer = observer.withLock({ $0 }) { body(observer) }
    }

    fileprivate func alter<Value>(
        _ action: String, _ name: String,
        _ body: (inout SimulatedDiskState) -> Result<Value, SimulatedDiskState.Fault>
    ) throws(StorageFailure) -> Value where Value: Sendable {
        note { $0.before() }
        return try perform(action, name, body)
    }

    fileprivate func perform<Value>(
        _ action: String, _ name: String,
        _ body: (inout SimulatedDiskState) -> Result<Value, SimulatedDiskState.Fault>
    ) throws(StorageFailure) -> Value where Value: Sendable {
        let result = state.withLock { state in body(&state) }
        switch result {
        case .success(let value): return value
        case .failure(let fault):
            let place = name.isEmpty ? location : path(of: name)
            throw StorageFailure(fault.kind, action: action, place: place, reason: fault.reason)
        }
    }
}

private final class SimulatedLock: DiskLock {
    private let disk: SimulatedDisk
    private let name: String
    private let generation: Int

    init(_ disk: SimulatedDisk, name: String, generation: Int) {
        self.disk = disk
        self.name = name
        self.generation = generation
    }

    deinit { disk.unlock(name, generation: generation) }
}

private final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    private let name: String
    private let file: Int
    private let generation: Int

    init(_ disk: SimulatedDisk, name: String, file: Int, generation: Int) {
        self.disk = disk
        self.name = name
        self.file = file
        self.generation = generation
    }

    func byteCount() throws(StorageFailure) -> Int {
        try disk.perform("measure", name) { [file, generation] in
            $0.read(file, generation).map(\.count)
        }
    }

    func read(at offset: Int, count: Int) throws(StorageFailure) -> [UInt8] {
        try disk.perform("read", name) { [file, generation] in
            $0.read(file, generation).map { Array($0.dropFirst(offset).prefix(count)) }
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StorageFailure) {
        disk.note { $0.writing(name, bytes) }
        try disk.alter("write to", name) { [file, generation] in
            $0.write(bytes, at: offset, to: file, generation)
        }
    }

    func fillWithZeros(from start: Int, to end: Int) throws(StorageFailure) {
        try write([UInt8](repeating: 0, count: end - start), at: start)
        try sync()
    }

    func sync() throws(StorageFailure) {
        try disk.alter("sync", name) { [file, generation] in $0.sync(file, generation) }
        disk.note { $0.synced(name) }
    }

    func makePrivate() throws(StorageFailure) {
        try disk.perform("protect", name) { [file, generation] in $0.read(file, generation).map { _ in () } }
    }
}
