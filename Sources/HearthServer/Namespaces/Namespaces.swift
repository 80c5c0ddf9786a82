// All databases of one server, by name.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire
import Synchronization

/// The namespaces of one server. Its lock is taken before the recorder's and never while a namespace is
/// locked.
final class Namespaces: Sendable {
    private struct Table {
        var byName: [String: Namespace] = [:]
        /// The one of the accounts, which no request can name.
        var accounts: Namespace?
        var lastNumber = 0
    }

    private let table = Mutex(Table())
    private let changes = Atomic(0)
    private let limit: Int
    private let randomness: @Sendable () -> Randomness

    /// - Parameter randomness: makes the generator of each namespace.
    init(limit: Int, randomness: @escaping @Sendable () -> Randomness = { Randomness() }) {
        self.limit = limit
        self.randomness = randomness
    }

    /// The most bytes of UTF-8 in a name.
    static let nameByteLimit = 128

    /// The name of the accounts' namespace in the journal; no request can name it.
    static let accountsName = "$accounts"
    /// What the accounts keep of their past: nothing, so that what is removed is gone.
    static let accountsLimits = Database.Limits(historyByteCount: 0, historyCommitCount: 0, undoByteCount: 0)

    /// The namespace of that name, nil if there is none.
    func find(_ name: String) -> Namespace? {
        table.withLock { $0.byName[name] }
    }

    /// Goes up whenever there is another namespace of some name than before, or none any more.
    var changeCount: Int { changes.load(ordering: .acquiring) }

    private func noteChange() {
        changes.add(1, ordering: .releasing)
    }

    /// All namespaces, by name.
    var all: [Namespace] {
        table.withLock { $0.byName.values.sorted { $0.name < $1.name } }
    }

    /// All that is stored: the namespaces, and the accounts if there are any.
    var stored: [Namespace] {
        table.withLock { $0.byName.values.sorted { $0.name < $1.name } + ($0.accounts.map { [$0] } ?? []) }
    }

    /// How many there are, without the accounts.
    var count: Int {
        table.withLock { $0.byName.count }
    }

    /// Enters a namespace that was found again after a stop.
    func adopt(
        _ name: String, _ database: consuming Database, marks: HistoryMarks, position: Position
    ) {
        let number = table.withLock { table in
            table.lastNumber += 1
            return table.lastNumber
        }
        let namespace = Namespace(
            name: name, number: number, database: database, marks: marks, position: position,
            random: randomness())
        table.withLock { table in
            if name == Namespaces.accountsName {
                table.accounts = namespace
            } else {
                table.byName[name] = namespace
            }
        }
        noteChange()
    }

    /// The accounts, if any were ever made.
    var accounts: Namespace? {
        table.withLock { $0.accounts }
    }

    /// The namespace of the accounts, made when it is first needed.
    func findOrCreateAccounts(_ services: Services) -> Namespace {
        if let known = accounts { return known }
        let made = table.withLock { table in
            if let known = table.accounts { return known }
            let made = create(Namespaces.accountsName, &table, Namespaces.accountsLimits, services)
            table.accounts = made
            return made
        }
        services.recorder.handOver()
        return made
    }

    private func create(
        _ name: String, _ table: inout Table, _ limits: Database.Limits, _ services: Services
    ) -> Namespace {
        table.lastNumber += 1
        var random = randomness()
        let epoch = Epoch.fresh(using: &random)
        let content = JournalRecord.Content.created(epoch: epoch)
        let record = services.keepsRecords ? EncodedRecord(JournalRecord(namespace: name, content)) : nil
        let position = services.recorder.append(record, isReserved: false)
        return Namespace(
            name: name, number: table.lastNumber, database: Database(epoch: epoch, limits: limits),
            marks: HistoryMarks(floor: 0, position: position), position: position, random: random)
    }

    /// Finds a namespace or makes an empty one; the journal hears of it before anybody can write to it.
    ///
    /// - Throws: 400 for a name that cannot be one, 503 when there are too many.
    func findOrCreate(_ name: String, services: Services) throws(RESTError) -> (Namespace, isNew: Bool) {
        if let known = find(name) { return (known, false) }
        guard Namespaces.isName(name) else { throw .badNamespaceName }
        let limits = services.databaseLimits
        let made: (Namespace, isNew: Bool)? = table.withLock { table in
            if let known = table.byName[name] { return (known, false) }
            guard table.byName.count < limit else { return nil }
            let namespace = create(name, &table, limits, services)
            table.byName[name] = namespace
            return (namespace, true)
        }
        guard let made else { throw .tooManyNamespaces }
        if made.isNew {
            noteChange()
            services.recorder.handOver()
        }
        return made
    }

    /// Deletes a namespace with all it holds.
    ///
    /// - Returns: the position of the record, nil if there is no such namespace.
    func delete(_ name: String, services: Services) -> Position? {
        guard let namespace = find(name), let position = namespace.delete(services) else { return nil }
        table.withLock { table in
            if table.byName[name] === namespace { table.byName[name] = nil }
        }
        noteChange()
        return position
    }

    /// Whether a text may be the name of a namespace: letters, digits, `-` and `_`.
    static func isName(_ text: String) -> Bool {
        guard (1...nameByteLimit).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
    }

    /// Which namespace a request means (architecture.md §9).
    ///
    /// `ns` wins, unless it is empty or just the first label of an IPv4 host; else the first label of a
    /// host name of three or more labels; else `default`.
    static func name(parameter: String?, host: String?) -> String {
        let labels = host.map(labels) ?? []
        let isAddress = labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
        if let parameter, !parameter.isEmpty, !(isAddress && parameter == labels[0]) { return parameter }
        guard !isAddress, labels.count >= 3, let first = labels.first, !first.isEmpty else {
            return "default"
        }
        return first
    }

    /// The parts of a host name without its port; none for an IPv6 address.
    private static func labels(_ host: String) -> [String] {
        guard !host.hasPrefix("[") else { return [] }
        let name = host.prefix { $0 != ":" }
        return name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}

/// A namespace that was found once, for the many requests that mean the same one.
struct FoundNamespace {
    let namespace: Namespace
    /// `Namespaces.changeCount` before it was looked for.
    let changeCount: Int
}

extension Loop {
    /// The namespace of that name, nil if there is none; the last one is remembered.
    func knownNamespace(_ name: String) -> Namespace? {
        let changeCount = services.namespaces.changeCount
        if let known = lastNamespace, known.changeCount == changeCount, known.namespace.name == name {
            return known.namespace
        }
        guard let namespace = services.namespaces.find(name) else { return nil }
        lastNamespace = FoundNamespace(namespace: namespace, changeCount: changeCount)
        return namespace
    }
}
