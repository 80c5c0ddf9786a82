// What a simulated disk remembers: what is seen, what would survive, and what is in between.
import HearthStorage

/// The files and names of a simulated disk, each twice: as a reader sees them and as they survive for sure.
struct SimulatedDiskState: Sendable {
    struct Fault: Error {
        let kind: StorageFailure.Kind
        let reason: String

        static let off = Fault(kind: .broken, reason: "the power is off")
        static let missing = Fault(kind: .missing, reason: "there is no such file")
    }

    enum NameChange: Sendable {
        case create(String, file: Int)
        case rename(String, String)
        case remove(String)
    }

    fileprivate struct File: Sendable {
        var seen: [UInt8] = []
        var durable: [UInt8] = []
        var pending: [(offset: Int, bytes: [UInt8])] = []
    }

    fileprivate static let sectorByteCount = 512

    let location: String
    var faults: SimulatedDisk.Faults
    private(set) var callCount = 0
    private(set) var failedCallCount = 0
    private(set) var generation = 0
    private(set) var names: [String: Int] = [:]
    var locks: Set<String> = []
    private var durableNames: [String: Int] = [:]
    private var pendingNames: [NameChange] = []
    private var files: [Int: File] = [:]
    private var nextFile = 0
    private var isOff = false

    init(location: String, faults: SimulatedDisk.Faults) {
        self.location = location
        self.faults = faults
    }

    func checkPower() -> Result<Void, Fault> {
        isOff ? .failure(.off) : .success(())
    }

    var hasPower: Bool { !isOff }

    var usedByteCount: Int { names.values.reduce(0) { $0 + (files[$1]?.seen.count ?? 0) } }

    var freeByteCount: Int { faults.capacity - usedByteCount }

    /// Counts a call that changes something; the power may go in it, and then it is still done, unsynced.
    private mutating func count() -> Result<Void, Fault> {
        if isOff { return .failure(.off) }
        callCount += 1
        if let isFull = faults.failures[callCount] {
            failedCallCount += 1
            return .failure(
                Fault(kind: isFull ? .noSpace : .broken, reason: isFull ? "it is full" : "planned"))
        }
        if callCount == faults.powerLossAt { isOff = true }
        return .success(())
    }

    mutating func create(_ name: String) -> Result<(Int, Int), Fault> {
        if names[name] != nil { return .failure(Fault(kind: .occupied, reason: "it exists")) }
        nextFile += 1
        let file = nextFile
        return count().flatMap {
            files[file] = File()
            return change(counted: .create(name, file: file)).map { (file, generation) }
        }
    }

    func open(_ name: String) -> Result<(Int, Int), Fault> {
        checkPower().flatMap { names[name].map { .success(($0, generation)) } ?? .failure(.missing) }
    }

    mutating func change(_ change: NameChange) -> Result<Void, Fault> {
        count().flatMap { self.change(counted: change) }
    }

    private mutating func change(counted change: NameChange) -> Result<Void, Fault> {
        guard SimulatedDiskState.apply(change, to: &names) else { return .failure(.missing) }
        pendingNames.append(change)
        return checkPower()
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) -> Bool {
        switch change {
        case .create(let name, let file): names[name] = file
        case .rename(let name, let newName):
            guard let file = names.removeValue(forKey: name) else { return false }
            names[newName] = file
        case .remove(let name): return names.removeValue(forKey: name) != nil
        }
        return true
    }

    mutating func syncNames() -> Result<Void, Fault> {
        count().flatMap {
            if isOff { return .failure(.off) }
            durableNames = names
            pendingNames = []
            return .success(())
        }
    }

    mutating func lock(_ name: String) -> Result<Int, Fault> {
        if isOff { return .failure(.off) }
        guard locks.insert(name).inserted else {
            let process = SimulatedDisk.process
            return .failure(Fault(kind: .locked(process: process), reason: "process \(process) has it open"))
        }
        if names[name] == nil {
            nextFile += 1
            files[nextFile] = File()
            _ = change(counted: .create(name, file: nextFile))
        }
        return .success(generation)
    }

    func read(_ file: Int, _ generation: Int) -> Result<[UInt8], Fault> {
        guard !isOff, generation == self.generation, let found = files[file] else { return .failure(.off) }
        return .success(found.seen)
    }

    mutating func write(
        _ bytes: [UInt8], at offset: Int, to file: Int, _ generation: Int
    ) -> Result<Void, Fault> {
        guard generation == self.generation, let size = files[file]?.seen.count else { return .failure(.off) }
        let growth = max(0, offset + bytes.count - size)
        if growth > 0 && growth > freeByteCount {
            return .failure(Fault(kind: .noSpace, reason: "no space is left"))
        }
        return count().flatMap {
            files[file]?.seen.put(bytes, at: offset)
            files[file]?.pending.append((offset, bytes))
            return checkPower()
        }
    }

    mutating func sync(_ file: Int, _ generation: Int) -> Result<Void, Fault> {
        guard generation == self.generation else { return .failure(.off) }
        return count().flatMap {
            if isOff { return .failure(.off) }
            for write in files[file]?.pending ?? [] {
                files[file]?.durable.put(write.bytes, at: write.offset)
            }
            files[file]?.pending = []
            return .success(())
        }
    }
}

extension SimulatedDiskState {
    mutating func endProcess() {
        generation += 1
        locks = []
    }

    mutating func halt() {
        isOff = true
    }

    mutating func resume() {
        isOff = false
        endProcess()
    }

    mutating func restart(using random: inout SeededRandom) {
        let odds = Int.random(in: 0...4, using: &random)
        for change in pendingNames where random.survives(odds) {
            _ = SimulatedDiskState.apply(change, to: &durableNames)
        }
        pendingNames = []
        names = durableNames
        for number in files.keys.sorted() {
            guard var file = files[number] else { continue }
            let writes = file.pending
            for (index, write) in writes.enumerated() {
                file.survive(write, isLast: index == writes.count - 1, odds: odds, using: &random)
            }
            file.pending = []
            file.seen = file.durable
            files[number] = file
        }
        files = files.filter { names.values.contains($0.key) }
        isOff = false
        faults = SimulatedDisk.Faults()
        endProcess()
    }

    func bytes(of name: String) -> [UInt8] {
        names[name].flatMap { files[$0]?.seen } ?? []
    }

    mutating func overwrite(_ name: String, with bytes: [UInt8]) {
        if names[name] == nil {
            nextFile += 1
            names[name] = nextFile
        }
        guard let number = names[name] else { return }
        durableNames[name] = number
        files[number] = File(seen: bytes, durable: bytes)
    }
}

extension SimulatedDiskState.File {
    /// Some sectors of an unsynced write reach the disk; the last write may end in the middle of one.
    fileprivate mutating func survive(
        _ write: (offset: Int, bytes: [UInt8]), isLast: Bool, odds: Int, using random: inout SeededRandom
    ) {
        let torn = isLast ? Int.random(in: 0...write.bytes.count, using: &random) : write.bytes.count
        let end = odds == 4 ? write.bytes.count : torn
        var start = 0
        while start < end {
            let sector = SimulatedDiskState.sectorByteCount
            let next = min(end, start + sector - (write.offset + start) % sector)
            if random.survives(odds) {
                durable.put(Array(write.bytes[start..<next]), at: write.offset + start)
            }
            start = next
        }
    }
}

extension SeededRandom {
    /// Yes in `odds` of four cases.
    fileprivate mutating func survives(_ odds: Int) -> Bool {
        Int.random(in: 0..<4, using: &self) < odds
    }
}

extension [UInt8] {
    /// Writes `bytes` at `offset`; the array grows with zeros if it must.
    fileprivate mutating func put(_ bytes: [UInt8], at offset: Int) {
        let end = offset + bytes.count
        if count < end { append(contentsOf: repeatElement(0, count: end - count)) }
        replaceSubrange(offset..<end, with: bytes)
    }
}
