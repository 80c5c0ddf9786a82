// How often accounts may be tried: bounds on guessing, registering and sending mails.
import HearthCore

/// Counts attempts by account and by the address they come from, in memory alone. Source: accounts.md §12.
///
/// A call is charged before it is decided, so that many at once get no further than one after the other; what
/// turns out well is given back. Nothing depends on whether an account exists.
public struct AccountLimits: Sendable {
    /// So many things are counted at most.
    static let entryLimit = 100_000

    /// What is counted.
    private enum Counted: Hashable {
        case loginsFrom(String), loginsTo(String)
        case registrationsFrom(String), anonymousFrom(String)
        case mailsFrom(String), mailsTo(String, kind: String), mailsToInADay(String, kind: String)
        case codesFrom(String), codesTo(String)
        case exchangesFrom(String)
        case sessionsOf(String), sessionsFrom(String)
    }

    /// So much in a time, evenly, with a beginning that may come at once.
    private struct Rate {
        let interval: Int64
        let burst: Int64

        init(_ count: Int64, per milliseconds: Int64, burst: Int64? = nil) {
            interval = milliseconds / count
            self.burst = burst ?? count
        }
    }

    /// Failures in a row, and until when there may be no other attempt.
    private struct Lock {
        var failures = 0
        var last: Int64
        var until: Int64
    }

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour
    /// So many wrong passwords are free.
    private static let freeFailures = 5

    /// When a thing counts as never tried again, in milliseconds.
    private var due: [Counted: Int64] = [:]
    private var locks: [String: Lock] = [:]

    /// Nothing was tried yet.
    public init() {}

    /// Charges a call.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`, or a 503 where anything else would sign the user out; the
    ///   call is not to be decided then.
    public mutating func admit(_ call: AccountCall, at now: Int64) throws(AccountRefusal) {
        guard !call.isAdministrator else { return }
        sweep(now)
        switch call.operation {
        case .signInWithPassword:
            try charge(.loginsFrom(call.visitor), Rate(30, per: 5 * Self.minute), now)
            try lock(Self.address(call, "email"), now)
        case .signUp where call.body.has("idToken"): break
        case .signUp where call.body.has("email"):
            try charge(.registrationsFrom(call.visitor), Rate(10, per: Self.hour, burst: 5), now)
        case .signUp: try charge(.anonymousFrom(call.visitor), Rate(30, per: Self.hour), now)
        case .sendCode: try chargeMail(call, now)
        case .signInWithCustomToken, .createAuthURI:
            try charge(.exchangesFrom(call.visitor), Rate(60, per: Self.minute), now)
        case .lookup, .refresh: try chargeSession(call, now)
        default:
            guard Self.usesCode(call) else { return }
            try charge(.codesFrom(call.visitor), Rate(30, per: 10 * Self.minute), now)
            if call.operation == .signInWithEmailLink {
                try charge(.codesTo(Self.address(call, "email")), Rate(10, per: Self.hour), now)
            }
        }
    }

    /// Gives back what a call was charged for if it turned out well; what was a right password, or a new one,
    /// opens the account again.
    public mutating func note(_ call: AccountCall, _ refusal: AccountRefusal?) {
        switch call.operation {
        case .signInWithPassword where refusal == nil:
            giveBack(.loginsFrom(call.visitor), Rate(30, per: 5 * Self.minute))
            locks[Self.address(call, "email")] = nil
        case .signInWithPassword where refusal?.code != "INVALID_LOGIN_CREDENTIALS":
            giveBack(.loginsFrom(call.visitor), Rate(30, per: 5 * Self.minute))
        case .signUp
        where refusal != nil && refusal?.code != "EMAIL_EXISTS" && call.body.has("email")
            && !call.body.has("idToken"):
            giveBack(.registrationsFrom(call.visitor), Rate(10, per: Self.hour, burst: 5))
        default:
            guard refusal == nil, Self.usesCode(call) else { return }
            giveBack(.codesFrom(call.visitor), Rate(30, per: 10 * Self.minute))
            if call.operation == .signInWithEmailLink {
                giveBack(.codesTo(Self.address(call, "email")), Rate(10, per: Self.hour))
            }
        }
    }

    /// Opens an account whose password was set anew.
    public mutating func unlock(_ email: String) { locks[email.lowercased()] = nil }

    private mutating func chargeMail(_ call: AccountCall, _ now: Int64) throws(AccountRefusal) {
        let kind = Self.field(call, "requestType")
        try charge(.mailsFrom(call.visitor), Rate(20, per: Self.hour), now)
        let recipient = Self.address(call, call.body.has("newEmail") ? "newEmail" : "email")
        var subject = recipient
        if recipient.isEmpty, case .success(let token)? = call.idToken { subject = "uid:" + token.uid }
        try charge(.mailsTo(subject, kind: kind), Rate(3, per: 15 * Self.minute), now)
        try charge(.mailsToInADay(subject, kind: kind), Rate(10, per: Self.day), now)
    }

    private mutating func chargeSession(_ call: AccountCall, _ now: Int64) throws(AccountRefusal) {
        do throws(AccountRefusal) {
            try charge(.sessionsFrom(call.visitor), Rate(6_000, per: Self.minute), now)
            let subject: String
            if case .success(let token)? = call.idToken {
                subject = token.uid
            } else {
                subject = "token:" + Digest.key(of: Self.field(call, "refreshToken")).text
            }
            try charge(.sessionsOf(subject), Rate(120, per: Self.minute), now)
        } catch {
            throw .unavailable(
                "Too many requests; try again later.", retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
    }

    private static func usesCode(_ call: AccountCall) -> Bool {
        switch call.operation {
        case .resetPassword, .signInWithEmailLink, .actionPage, .actionForm: true
        case .update: call.body.has("oobCode")
        default: false
        }
    }

    private static func field(_ call: AccountCall, _ name: String) -> String {
        // What cannot be read is refused where the call is decided.
        ((try? call.body.text(name)) ?? nil) ?? ""
    }

    private static func address(_ call: AccountCall, _ name: String) -> String {
        String(field(call, name).lowercased().prefix(320))
    }
}

extension AccountLimits {
    private mutating func charge(
        _ counted: Counted, _ rate: Rate, _ now: Int64
    ) throws(AccountRefusal) {
        let start = max(due[counted] ?? now, now)
        let wait = start - now - (rate.burst - 1) * rate.interval
        guard wait <= 0 else { throw .tooManyAttempts(retryAfterSeconds: Int((wait + 999) / 1_000)) }
        due[counted] = start + rate.interval
    }

    private mutating func giveBack(_ counted: Counted, _ rate: Rate) {
        guard let time = due[counted] else { return }
        due[counted] = time - rate.interval
    }

    /// Charges an attempt at an account: the fifth and every later one locks it for 1, 2, 4 … 15 minutes.
    private mutating func lock(_ email: String, _ now: Int64) throws(AccountRefusal) {
        var lock = locks[email] ?? Lock(last: now, until: 0)
        guard now >= lock.until else {
            throw .tooManyAttempts(retryAfterSeconds: Int((lock.until - now + 999) / 1_000))
        }
        if now - lock.last > Self.day { lock.failures = 0 }
        lock.failures += 1
        lock.last = now
        let beyond = lock.failures - Self.freeFailures
        if beyond >= 0 { lock.until = now + min(15, Int64(1) << Int64(min(beyond, 4))) * Self.minute }
        locks[email] = lock
    }

    /// Forgets what makes no difference any more once there is much of it; if all of it does, a tenth goes.
    private mutating func sweep(_ now: Int64) {
        if due.count > Self.entryLimit {
            due = due.filter { $0.value > now }
            for key in due.keys.prefix(max(0, due.count - Self.entryLimit * 9 / 10)) { due[key] = nil }
        }
        if locks.count > Self.entryLimit {
            locks = locks.filter { $0.value.until > now || now - $0.value.last < Self.hour }
            for key in locks.keys.prefix(max(0, locks.count - Self.entryLimit * 9 / 10)) { locks[key] = nil }
        }
    }

    /// How many things are counted now.
    public var trackedCount: Int { due.count + locks.count }
}
