// The names of the files in a data directory, in one place.

/// The names of the files in a data directory.
///
///     format               which version wrote the directory, as text
///     lock                 held while a server has it open; the process number
///     running              there while a server runs: how it syncs, so that an unclean stop is noticed
///     used-in-production   there once the directory was opened by other than an emulator
///     admin-token          the server's
///     token-keys           what users' tokens are signed with
///     outbox/              mails on their way
///     journal-000042       a segment of the journal
///     checkpoint-000007    the state at a position
///     bulk-000003          one large value that a record names
///     spare-000040         a former segment, kept to be used again
///     file-000012          an uploaded file
///     kept-2-…             a file of before a recovery or a restore, never read again
///     ….unfinished         being written; removed at the next start
public enum FileName {
    /// The file with the format's version.
    public static let format = "format"
    /// The file that is locked.
    public static let lock = "lock"
    /// The file that tells an unclean stop from a clean one.
    public static let running = "running"
    /// The file that keeps an emulator away.
    public static let production = "used-in-production"
    /// The server's administrator token; storage neither reads nor writes it.
    public static let adminToken = "admin-token"
    /// The keys that the server signs its users' tokens with; storage neither reads nor writes it.
    public static let tokenKeys = "token-keys"
    /// The folder of mails on their way; storage never looks into it.
    public static let outbox = "outbox"
    /// The end of the names of files that are being written.
    public static let unfinishedSuffix = ".unfinished"

    /// The beginning of the names of files that are kept but not read any more; a number follows.
    static let keptPrefix = "kept-"

    /// What a numbered file holds; the raw value begins its name.
    public enum Series: String, Sendable, CaseIterable {
        /// A segment of the journal.
        case journal
        /// The state at a position.
        case checkpoint
        /// A large value.
        case bulk
        /// A former segment.
        case spare
        /// An uploaded file.
        case file
    }

    /// The name of a numbered file: at least six digits.
    public static func numbered(_ series: Series, _ number: UInt64) -> String {
        let digits = String(number)
        return series.rawValue + "-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// The number in a name of that series, nil if it is no such name.
    public static func number(_ series: Series, in name: String) -> UInt64? {
        let start = series.rawValue + "-"
        guard name.hasPrefix(start), let number = UInt64(name.dropFirst(start.count)),
            numbered(series, number) == name
        else { return nil }
        return number
    }

    /// The numbers of the files of that series among `names`, ascending.
    public static func numbers(_ series: Series, in names: [String]) -> [UInt64] {
        names.compactMap { number(series, in: $0) }.sorted()
    }
}
