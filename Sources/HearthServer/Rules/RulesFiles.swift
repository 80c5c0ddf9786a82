// Rules that come from files: read at the start, and again when they change.
import Glibc
import HearthCore
import HearthWire
import Synchronization

/// The files that hold the rules of some namespaces. What stands in them is authoritative: clients cannot
/// change it.
final class RulesFiles: Sendable {
    /// The longest text that is read.
    private static let byteLimit = 4 << 20

    private struct Entry {
        let path: String
        /// When the file was changed that was read last, in nanoseconds; nil before the first time.
        var changed: Int64?
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
            guard all || RulesFiles.changeTime(entry.path) != entry.changed else { continue }
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
        entries.withLock { $0[name]?.changed = RulesFiles.changeTime(path) }
        let text = try RulesFiles.contents(path)
        do throws(RESTError) {
            let namespace = try services.namespaces.findOrCreate(name, services: services).0
            guard namespace.newest()?.state.rules?.text != text else { return }
            let write = Namespace.Request(form: .write(.rules(text)))
            do throws(WriteRefusal) {
                _ = try namespace.write(write, services: services, from: nil)
            } catch {
                throw error.answer
            }
        } catch {
            throw .configuration("the rules file \(path) is not accepted: \(error.text)")
        }
    }

    /// When a file was last changed, nil if there is none.
    private static func changeTime(_ path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    private static func contents(_ path: String) throws(StartFailure) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure(path, SystemFailure.text(of: errno)) }
        let file = Descriptor(owning: number)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file.number, &buffer, buffer.count)
            guard count >= 0 else { throw failure(path, SystemFailure.text(of: errno)) }
            if count == 0 { return text }
            text += buffer[..<count]
            guard text.count <= byteLimit else { throw failure(path, "it has more than \(byteLimit) bytes") }
        }
    }

    private static func failure(_ path: String, _ reason: String) -> StartFailure {
        .configuration("the rules file \(path) cannot be read: \(reason)")
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
