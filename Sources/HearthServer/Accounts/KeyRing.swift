// The keys that this server signs its users' tokens with: made when first needed, kept in a private file.
import HearthCrypto
import HearthIdentity
import HearthStorage
import Synchronization

/// Signs, and says who else's tokens are taken. The keys lie in the file `token-keys` of the data directory
/// (0600), or in memory alone for a server without files.
final class KeyRing: Sendable {
    private struct Guarded {
        var keys: SigningKeys?
        var verifier: TokenVerifier
    }

    private let guarded: Mutex<Guarded>
    /// Held while keys are made or changed: waiting for it may take as long as making one.
    private let making = Mutex(())
    private let issuers: [TokenIssuer]
    private let project: String
    private let disk: (any Disk)?
    private let clock: any Clock
    private let log: Log

    /// Reads the keys that are there.
    ///
    /// - Parameters:
    ///   - disk: where the keys are kept; nil for in memory alone.
    ///   - issuers: whose tokens are taken beside this server's own.
    /// - Throws: `StartFailure` for a file that cannot be used.
    init(
        _ log: Log, _ disk: (any Disk)?, project: String, issuers: [TokenIssuer], clock: any Clock
    ) throws(StartFailure) {
        self.issuers = issuers
        self.project = project
        self.clock = clock
        self.log = log
        self.disk = disk
        var keys: SigningKeys?
        if let disk { keys = try KeyRing.read(disk) }
        let all = issuers + KeyRing.own(keys, project, at: clock.milliseconds)
        do throws(RepeatedIssuer) {
            guarded = Mutex(Guarded(keys: keys, verifier: try TokenVerifier(issuers: all)))
        } catch {
            throw .configuration("\(error)")
        }
    }

    private static func read(_ disk: any Disk) throws(StartFailure) -> SigningKeys? {
        let text: [UInt8]
        do throws(StorageFailure) {
            guard let found = try disk.contents(of: FileName.tokenKeys) else { return nil }
            text = found
        } catch {
            throw .storage("\(error)")
        }
        do throws(SigningKeysFault) {
            return try SigningKeys(fileText: text)
        } catch {
            let path = disk.path(of: FileName.tokenKeys)
            throw .configuration("cannot use the signing keys in \(path): \(error)")
        }
    }

    private static func own(_ keys: SigningKeys?, _ project: String, at now: Int64) -> [TokenIssuer] {
        keys.map { [.project(project, keys: $0.verificationKeys(at: now))] } ?? []
    }

    /// What tokens are checked with now.
    var verifier: TokenVerifier { guarded.withLock { $0.verifier } }

    /// What signs now. It makes the first key, which takes up to a second: for a worker.
    ///
    /// - Throws: `StorageFailure` when the key cannot be kept.
    func signer() throws(StorageFailure) -> TokenSigner {
        try current().signer(at: clock.milliseconds)
    }

    /// The published keys. It makes the first key, which takes up to a second: for a worker.
    ///
    /// - Throws: `StorageFailure` when the key cannot be kept.
    func published() throws(StorageFailure) -> [UInt8] {
        try current().jwks(at: clock.milliseconds)
    }

    /// Makes a key that signs from an hour from now on. For a worker.
    ///
    /// - Throws: `StorageFailure` when it cannot be kept; the keys are then as before.
    func rotate() throws(StorageFailure) {
        try making.withLock { _ throws(StorageFailure) in
            let now = clock.milliseconds
            guard var keys = guarded.withLock({ $0.keys }) else {
                return try keep(SigningKeys(PrivateKey.generate(.rs256), at: now))
            }
            keys.add(PrivateKey.generate(.rs256), at: now)
            try keep(keys)
            log.info("signing key made", ("signsFrom", "an hour from now"))
        }
    }

    /// Has a new key made if the present one is old. For a worker.
    func rotateIfDue() {
        guard guarded.withLock({ $0.keys?.isDue(at: clock.milliseconds) ?? false }) else { return }
        do throws(StorageFailure) {
            try rotate()
        } catch {
            log.error("signing key not made", ("reason", "\(error)"))
        }
    }

    private func current() throws(StorageFailure) -> SigningKeys {
        if let keys = guarded.withLock({ $0.keys }) { return keys }
        return try making.withLock { _ throws(StorageFailure) in
            if let keys = guarded.withLock({ $0.keys }) { return keys }
            let keys = SigningKeys(PrivateKey.generate(.rs256), at: clock.milliseconds)
            try keep(keys)
            log.info("signing key made", ("signsFrom", "now"))
            return keys
        }
    }

    /// Keeps keys durably, then uses them.
    private func keep(_ keys: SigningKeys) throws(StorageFailure) {
        try disk?.replace(FileName.tokenKeys, with: keys.fileText)
        let all = issuers + KeyRing.own(keys, project, at: clock.milliseconds)
        do throws(RepeatedIssuer) {
            let verifier = try TokenVerifier(issuers: all)
            guarded.withLock { $0 = Guarded(keys: keys, verifier: verifier) }
        } catch {
            preconditionFailure("the names of issuers were compared at the start")
        }
    }
}
