// Rules that come from files: read at the start, and again when they change.
import HearthCore
import HearthRules
import HearthWire
import Synchronization

/// The files that hold the rules of some namespaces. What stands in them is authoritative: clients cannot
/// change it.
final class RulesFiles: Sendable {
    private struct Entry {
        let path: String
        /// What marked the file that was read last; nil before the first time, and if there was none.
        var mark: SmallFile.Mark?
    }

    private let entries: Mutex<[String: Entry]>

    /// - Parameter paths: the file of each namespace.
    init(_ paths: [String: String]) {
        entries = Mutex(paths.mapValues { Entry(path: $0) })
    }

    /// Reads all files, and gives each namespace its rules where they are others than before.
    ///
    /// - Throws: `StartFailure.configuration` for the first file that cannot be read or is wrong.
    func readAll(_ services: Services) throws(StartFailure) {
        for name in entries.withLock({ $0.keys.sorted() }) {
            try read(name, services)
        }
    }

    /// Reads the files that were changed since; a bad one is reported and the old rules stay.
    ///
    /// - Parameter all: whether unchanged ones are read too.
    func refresh(_ services: Services, all: Bool) {
        for (name, entry) in entries.withLock({ $0.sorted { $0.key < $1.key } }) {
            guard all || SmallFile.mark(entry.path) != entry.mark else { continue }
            do throws(StartFailure) {
                try read(name, services)
                services.log.info("rules read", ("namespace", name), ("file", entry.path))
            } catch {
                services.log.error("rules not read, the old ones stay", ("reason", "\(error)"))
            }
        }
    }

    private func read(_ name: String, _ services: Services) throws(StartFailure) {
        guard let path = entries.withLock({ $0[name]?.path }) else { return }
        let mark = SmallFile.mark(path)
        entries.withLock { $0[name]?.mark = mark }
        let text = try SmallFile.read(path)
        let rules: RuleSet
        do throws(RuleError) {
            rules = try RuleSet(reading: text)
        } catch {
            throw .configuration("the rules file is not accepted: " + error.text(naming: path))
        }
        do throws(RESTError) {
            let namespace = try services.namespaces.findOrCreate(name, services: services).0
            guard namespace.newest()?.state.rules?.text != text else { return }
            do throws(WriteRefusal) {
                _ = try namespace.write(.init(form: .rules(rules)), services: services, from: nil)
            } catch {
                throw error.answer
            }
        } catch {
            // The file is to be looked at again, although it does not change.
            entries.withLock { $0[name]?.mark = nil }
            throw .configuration("the rules of \(path) cannot be stored: \(error.text)")
        }
    }
}

extension Server {
    /// Reads the rules files that were changed since they were read last.
    func readChangedRules() {
        services.rulesFiles.refresh(services, all: false)
    }

    /// Reads all rules files again.
    func readRules() {
        services.rulesFiles.refresh(services, all: true)
    }
}
