// A random run of a server's writes, and what the state is after each: what recovery is compared with.
import HearthCore
import HearthTesting

@testable import HearthStorage

/// Makes records one after the other and remembers every state on the way.
struct Story {
    private(set) var records: [JournalRecord] = []
    /// The states after the first n records.
    private(set) var states: [[String: NamespaceState]] = [[:]]
    private var random: SeededRandom
    private var epochCount = 0
    private var time: Int64 = 1_700_000_000_000

    init(using random: inout SeededRandom) {
        self.random = random.branch()
    }

    /// A story with `count` records.
    init(_ count: Int, using random: inout SeededRandom) {
        self.init(using: &random)
        for _ in 0..<count { _ = next() }
    }

    /// A story of one namespace with `count` records, so short that every bit of them can be changed.
    init(small count: Int, using random: inout SeededRandom) {
        self.init(using: &random)
        add(JournalRecord(namespace: "default", .created(epoch: "e1")))
        while records.count < count {
            guard let state = now["default"] else { return }
            let path = Path([self.random.key()].filter { $0.text.utf8.count < 9 })
            let edits = [Edit.put(path, Node(.integer(Int64(records.count))))]
            let commit = Commit(
                revision: state.revision + 1, time: time, kind: .set, base: path, edits: edits,
                undo: state.root.undo(of: edits))
            add(JournalRecord(namespace: "default", .commit(commit, session: nil)))
        }
    }

    var now: [String: NamespaceState] { states[states.count - 1] }

    /// Adds a record.
    mutating func next() -> JournalRecord {
        let names = now.keys.sorted()
        guard !names.isEmpty, !random.oneIn(30) else { return create() }
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        return add(JournalRecord(namespace: name, content(in: name)))
    }

    private mutating func create() -> JournalRecord {
        let all = ["default", "chat", "games", "home"]
        guard let name = all.first(where: { now[$0] == nil }) else {
            return add(JournalRecord(namespace: "default", content(in: "default")))
        }
        return add(JournalRecord(namespace: name, .created(epoch: epoch())))
    }

    private mutating func epoch() -> String {
        epochCount += 1
        return "e\(epochCount)"
    }

    private mutating func content(in name: String) -> JournalRecord.Content {
        guard let state = now[name] else { preconditionFailure("the namespace exists") }
        time += Int64.random(in: 0...5, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0 where now.count > 1: return .deleted
        case 1: return .epochChanged(to: epoch())
        case 2:
            let rules = Array("{\"rules\":{}} // \(state.revision)".utf8)
            return .commit(Commit(revision: state.revision + 1, time: time, rules: rules), session: nil)
        case 3, 4:
            return .onDisconnect(
                session: "s\(Int.random(in: 0...2, using: &random))", writes: random.bytes(5))
        case 5: return .onDisconnect(session: "s1", writes: nil)
        default: return .commit(commit(after: state), session: random.oneIn(8) ? "s2" : nil)
        }
    }

    private mutating func commit(after state: NamespaceState) -> Commit {
        let isUpdate = random.oneIn(4)
        let base = Path((0..<Int.random(in: 0...2, using: &random)).map { _ in random.key() })
        var edits: [Edit] = []
        for _ in 0..<(isUpdate ? 3 : 1) {
            let path = isUpdate ? base.appending(random.key()) : base
            if random.oneIn(6) {
                edits.append(.prioritize(path, random.priority()))
            } else {
                edits.append(.put(path, random.oneIn(5) ? .empty : random.node(levels: 2)))
            }
        }
        let undo = random.oneIn(20) ? nil : state.root.undo(of: edits)
        return Commit(
            revision: state.revision + 1, time: time, kind: isUpdate ? .update : .set, base: base,
            edits: edits,
            undo: undo)
    }

    /// Goes back to what was after `count` records.
    mutating func forget(after count: Int) {
        records.removeSubrange(count...)
        states.removeSubrange((count + 1)...)
    }

    /// Adds a record that the test made.
    @discardableResult
    mutating func add(_ record: JournalRecord, bulk: Node? = nil) -> JournalRecord {
        var after = now
        var state = now[record.namespace]
        state?.position = Position(records.count + 1)
        switch record.content {
        case .commit(let commit, let session):
            state?.apply(commit)
            if let session { state?.onDisconnect[session] = nil }
        case .bulk(let commit): state?.apply(commit.commit(writing: bulk ?? .empty))
        case .created(let epoch):
            state = NamespaceState(
                name: record.namespace, epoch: epoch, position: Position(records.count + 1))
        case .deleted: state = nil
        case .epochChanged(let epoch): state?.epoch = epoch
        case .onDisconnect(let session, let writes): state?.onDisconnect[session] = writes
        }
        after[record.namespace] = state
        records.append(record)
        states.append(after)
        return record
    }
}

extension NamespaceState {
    fileprivate mutating func apply(_ commit: Commit) {
        if let rules = commit.rules { self.rules = rules }
        root = root.applying(commit.edits)
        revision = commit.revision
        lastTime = commit.time
    }

    /// What clients could see to differ from `other`.
    func differences(from other: NamespaceState) -> [String] {
        [
            epoch == other.epoch ? nil : "epoch \(epoch) not \(other.epoch)",
            revision == other.revision ? nil : "revision \(revision) not \(other.revision)",
            lastTime == other.lastTime ? nil : "time \(lastTime) not \(other.lastTime)",
            rules == other.rules ? nil : "rules",
            onDisconnect == other.onDisconnect ? nil : "on-disconnect writes",
            root == other.root ? nil : "root",
        ].compactMap { $0 }.map { "\(name): \($0)" }
    }
}

extension [String: RecoveredNamespace] {
    /// How this differs from the states of the story, and namespaces whose history does not lead to them.
    func differences(from states: [String: NamespaceState]) -> [String] {
        guard Set(keys) == Set(states.keys) else { return ["\(keys.sorted()) not \(states.keys.sorted())"] }
        return states.values.flatMap { state in
            let found = self[state.name]
            let history = found?.hasWholeHistory == true ? [] : ["\(state.name): history"]
            return (found?.state.differences(from: state) ?? []) + history
        }
    }

    /// Whether these are the states of the story, with a history that leads to them.
    func isSame(as states: [String: NamespaceState]) -> Bool {
        differences(from: states).isEmpty
    }
}

extension RecoveredNamespace {
    /// Whether the history runs from the floor to the present, and its undo and redo are each other's
    /// reverse.
    var hasWholeHistory: Bool {
        guard history.map(\.revision) == Array((state.floor + 1)..<(state.revision + 1)) else { return false }
        var root = state.root
        for commit in history.reversed() {
            guard let undo = commit.undo else { return false }
            let before = root.applying(undo)
            guard before.applying(commit.edits) == root else { return false }
            root = before
        }
        return true
    }
}
