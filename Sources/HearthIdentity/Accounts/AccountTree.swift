// All accounts of a server, as one tree and the changes to it.
import HearthCore

/// The private tree, with what is to be changed in it.
///
///     accounts/<uid>                the record
///     emails/<address>              the uid
///     sessions/<digest>             one sign-in
///     sessionsOf/<uid>/<digest>     true
///     codes/<digest>                a code that was mailed
///     codesOf/<owner>/<digest>      true
///     expiring/<time>-<digest>      true, codes and removed sessions by the end of their time
///     signers/<name>                who may sign custom tokens
///     emulator                      what the emulator's configuration says
///     lastRemoval                   tokens of accounts removed so far have a smaller iat
///
/// A value: reading sees the changes made before. Each place that is written has a fixed depth, so that no
/// two changes ever overlap.
struct AccountTree {
    private enum Branch: String {
        case accounts, emails, sessions, sessionsOf, codes, codesOf, expiring, signers, emulator, sequence
        case lastRemoval

        var key: Key {
            var name = rawValue
            return name.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
        }
    }

    private(set) var root: Node
    private var changes: [Path: Node] = [:]
    /// The changed places in the order of their first change.
    private var places: [Path] = []

    init(_ root: Node) {
        self.root = root
    }

    /// What is to be written, in order; nothing is written twice.
    var edits: [(path: Path, node: Node)] { places.map { ($0, changes[$0] ?? .empty) } }

    private mutating func set(_ node: Node, _ keys: Key...) {
        let path = Path(keys)
        root.set(node, at: path)
        if changes.updateValue(node, forKey: path) == nil { places.append(path) }
    }

    private static let mark = Node(.bool(true))
    /// What stands for the session of an account that is gone.
    private static let removed = Node(.string("removed"))
    /// For how long that is known, in milliseconds.
    private static let memory: Int64 = 30 * 24 * 3_600_000
}

// MARK: Accounts

extension AccountTree {
    /// The account of a uid.
    func account(_ localID: String) -> Account? {
        guard let key = AccountKey.of(localID) else { return nil }
        return Account(node: root.child(Branch.accounts.key).child(key))
    }

    /// The account of an address, which is in lower case.
    func account(email: String) -> Account? {
        guard let key = AccountKey.of(email),
            case .string(let localID)? = root.child(Branch.emails.key).child(key).leaf
        else { return nil }
        return account(localID)
    }

    /// Whether an address can be kept at all.
    static func canKeep(email: String) -> Bool { AccountKey.of("to:" + email) != nil }

    /// Keeps an account as it is now, and its address as its only one.
    ///
    /// - Precondition: no other account has the address.
    mutating func put(_ account: Account) {
        guard let key = AccountKey.of(account.localID) else {
            preconditionFailure("a uid of at most 128 bytes makes a key")
        }
        let old = self.account(account.localID)?.email
        if let old, old != account.email, let place = AccountKey.of(old) {
            set(.empty, Branch.emails.key, place)
        }
        if let email = account.email, email != old, let place = AccountKey.of(email) {
            set(Node(.string(account.localID)), Branch.emails.key, place)
        }
        set(account.node, Branch.accounts.key, key)
    }

    /// Removes an account with all that belongs to it.
    ///
    /// Of its sessions it stays known for a month that they were those of a removed account, since their
    /// clients are told so.
    mutating func remove(_ account: Account, now: Int64) {
        guard let key = AccountKey.of(account.localID) else { return }
        for (sessionKey, session) in sessions(of: account.localID) {
            remove(session, sessionKey)
            set(AccountTree.removed, Branch.sessions.key, sessionKey)
            if let place = AccountTree.expiry(now + AccountTree.memory, sessionKey) {
                set(AccountTree.mark, Branch.expiring.key, place)
            }
        }
        removeExpired(now)
        let floor = max(now / 1_000, account.tokensFrom) + 1
        set(Node(.integer(max(floor, removalFloor))), Branch.lastRemoval.key)
        voidCodes(of: account.localID)
        if let email = account.email, let place = AccountKey.of(email) {
            set(.empty, Branch.emails.key, place)
        }
        set(.empty, Branch.accounts.key, key)
    }

    /// No token of a removed account says that it is from this second or later.
    var removalFloor: Int64 {
        guard case .integer(let seconds)? = root.child(Branch.lastRemoval.key).leaf else { return 0 }
        return seconds
    }

    /// Removes everything but the signers.
    mutating func clear() {
        for branch: Branch in [.accounts, .emails, .sessions, .sessionsOf, .codes, .codesOf, .expiring] {
            set(.empty, branch.key)
        }
    }

    /// How many accounts there are.
    var accountCount: Int { root.child(Branch.accounts.key).childCount }

    /// The accounts by uid, after that one.
    func accounts(after localID: String? = nil) -> some Sequence<Account> {
        let position = localID.flatMap(AccountKey.of).map { KeyPosition.after($0) } ?? .start
        return root.child(Branch.accounts.key).children(from: position).lazy
            .compactMap { Account(node: $0.node) }
    }
}

// MARK: Sessions

extension AccountTree {
    func session(_ key: Key) -> Session? { Session(node: root.child(Branch.sessions.key).child(key)) }

    /// Whether the session of a token goes on; tokens that name none have none to end.
    func hasSession(of token: VerifiedToken) -> Bool {
        guard var name = token.claims.member(IDToken.sessionClaim).text else { return true }
        // What is no key names no session.
        let key = name.withUTF8 { bytes in try? Key(utf8: UnsafeRawBufferPointer(bytes)) }
        return key.flatMap { session($0) }?.localID == token.uid
    }

    /// Whether the session was that of an account that was removed.
    func isRemoved(_ key: Key) -> Bool {
        root.child(Branch.sessions.key).child(key).leaf == AccountTree.removed.leaf
    }

    mutating func put(_ session: Session, _ key: Key) {
        guard let owner = AccountKey.of(session.localID) else { return }
        set(session.node, Branch.sessions.key, key)
        set(AccountTree.mark, Branch.sessionsOf.key, owner, key)
    }

    mutating func remove(_ session: Session, _ key: Key) {
        guard let owner = AccountKey.of(session.localID) else { return }
        set(.empty, Branch.sessions.key, key)
        set(.empty, Branch.sessionsOf.key, owner, key)
    }

    /// The sessions of an account.
    func sessions(of localID: String) -> [(key: Key, session: Session)] {
        guard let owner = AccountKey.of(localID) else { return [] }
        return root.child(Branch.sessionsOf.key).child(owner).children().compactMap { entry in
            session(entry.key).map { (entry.key, $0) }
        }
    }

    mutating func endSessions(of localID: String) {
        for (key, session) in sessions(of: localID) { remove(session, key) }
    }
}

// MARK: Codes

extension AccountTree {
    func code(_ key: Key) -> OneTimeCode? { OneTimeCode(node: root.child(Branch.codes.key).child(key)) }

    /// Keeps a code; older ones of its kind and owner end, and a few of those whose time is over.
    mutating func put(_ code: OneTimeCode, _ key: Key, now: Int64) {
        guard let owner = code.owner else { return }
        for (oldKey, old) in codes(of: owner) where old.kind == code.kind { remove(old, oldKey) }
        removeExpired(now)
        set(code.node, Branch.codes.key, key)
        set(AccountTree.mark, Branch.codesOf.key, owner, key)
        if let place = AccountTree.expiry(code.expiresAt, key) {
            set(AccountTree.mark, Branch.expiring.key, place)
        }
    }

    mutating func remove(_ code: OneTimeCode, _ key: Key) {
        guard let owner = code.owner else { return }
        set(.empty, Branch.codes.key, key)
        set(.empty, Branch.codesOf.key, owner, key)
        if let place = AccountTree.expiry(code.expiresAt, key) { set(.empty, Branch.expiring.key, place) }
    }

    /// Ends the codes of an account, all or those of some kinds.
    mutating func voidCodes(of localID: String, _ kinds: [CodeKind] = CodeKind.allCases) {
        guard let owner = OneTimeCode.owner(localID: localID, email: "") else { return }
        for (key, code) in codes(of: owner) where kinds.contains(code.kind) { remove(code, key) }
    }

    private func codes(of owner: Key) -> [(key: Key, code: OneTimeCode)] {
        root.child(Branch.codesOf.key).child(owner).children().compactMap { entry in
            code(entry.key).map { (entry.key, $0) }
        }
    }

    /// Those that an emulator lists, oldest first.
    var listedCodes: [(code: OneTimeCode, listed: OneTimeCode.Listed)] {
        root.child(Branch.codes.key).children()
            .compactMap { OneTimeCode(node: $0.node) }
            .compactMap { code in code.listed.map { (code, $0) } }
            .sorted { $0.1.sequence < $1.1.sequence }
    }

    /// The next number of an order.
    mutating func nextSequence() -> Int64 {
        var last: Int64 = 0
        if case .integer(let number)? = root.child(Branch.sequence.key).leaf { last = number }
        set(Node(.integer(last + 1)), Branch.sequence.key)
        return last + 1
    }

    /// At most 8 of them for each new one, so that they go faster than they come.
    private mutating func removeExpired(_ now: Int64) {
        for entry in Array(root.child(Branch.expiring.key).children().prefix(8)) {
            let text = entry.key.text
            guard let dash = text.firstIndex(of: "-"), let time = Int64(text[..<dash]), time < now else {
                return
            }
            var digest = String(text[text.index(after: dash)...])
            let key = digest.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
            if let code = code(key) { remove(code, key) }
            if isRemoved(key) { set(.empty, Branch.sessions.key, key) }
            set(.empty, Branch.expiring.key, entry.key)
        }
    }

    private static func expiry(_ time: Int64?, _ key: Key) -> Key? {
        time.map { time in
            var text = "\(time)-\(key.text)"
            return text.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
        }
    }
}

// MARK: Signers and the emulator

extension AccountTree {
    /// The public key of a signer as PEM, nil if there is none of that name.
    func signer(_ name: String) -> String? {
        guard let key = AccountKey.of(name) else { return nil }
        return RecordReader(node: root.child(Branch.signers.key).child(key)).text(.publicKey)
    }

    /// The names and times of all signers.
    var signers: [(name: String, createdAt: Int64)] {
        root.child(Branch.signers.key).children().compactMap { entry in
            let reader = RecordReader(node: entry.node)
            guard let name = reader.text(.localID), let time = reader.integer(.createdAt) else { return nil }
            return (name, time)
        }
    }

    /// Keeps a signer, or forgets one if there is no key.
    mutating func putSigner(_ name: String, publicKey: String?, now: Int64) {
        guard let key = AccountKey.of(name) else { return }
        var writer = RecordWriter()
        if let publicKey {
            writer.text(.localID, name)
            writer.integer(.createdAt, now)
            writer.text(.publicKey, publicKey)
        }
        set(writer.node, Branch.signers.key, key)
    }

    /// Whether an emulator gives the production answers about addresses.
    var hidesEmails: Bool {
        get { root.child(Branch.emulator.key).leaf == .bool(true) }
        set { set(newValue ? AccountTree.mark : .empty, Branch.emulator.key) }
    }
}
