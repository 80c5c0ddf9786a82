// Why a REST request is not done, as a status and a text; all texts that clients compare stand here.

public import HearthCore
import HearthJSON

/// An answer that says why a request is not done: a status and `{"error":"<text>"}`. Source: rest-api.md §5,
/// §11.
///
/// Texts that clients know are kept to the letter. None repeats a token or a value.
public struct RESTError: Error, Equatable, Sendable {
    /// 400…599.
    public let status: Int
    /// One sentence for people.
    public let text: String
    /// JSON text that explains it, only for the administrator; nil where nobody asked for it.
    public var explanation: [UInt8]?
    /// With 405: what the address takes instead, for the header `Allow`; nil for what data takes.
    public var allowed: HTTPFieldValue?

    /// Makes an error.
    public init(status: Int, text: String) {
        self.status = status
        self.text = text
    }

    /// A message that was no HTTP.
    public init(_ error: HTTPParseError) {
        self.init(status: error.status, text: error.message)
    }

    /// The JSON body.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.string(text)
        if let explanation {
            writer.key("explanation")
            explanation.withUnsafeBytes { writer.value(text: $0) }
        }
        writer.endObject()
        return writer.bytes
    }

    static func bad(_ text: String) -> RESTError {
        RESTError(status: 400, text: text)
    }
}

// MARK: Addresses and methods

extension RESTError {
    /// A path without `.json` and without a file behind it.
    public static var noSuffix: RESTError {
        RESTError(status: 404, text: "append .json to your request URI to use the REST API.")
    }

    /// A reserved address that means nothing.
    public static var unknownAddress: RESTError {
        RESTError(status: 404, text: "There is nothing at this address.")
    }

    /// A namespace that does not exist and that this request does not create.
    public static var unknownNamespace: RESTError {
        RESTError(
            status: 404, text: "There is no such database. The administrator creates one by writing to it.")
    }

    /// A method that the address does not take; the answer's `Allow` header lists those that it does.
    public static var badMethod: RESTError {
        RESTError(status: 405, text: "This method is not allowed here.")
    }

    /// A method other than GET and HEAD, where files are read.
    public static var readsOnly: RESTError {
        var error = badMethod
        error.allowed = HTTPFieldValue("GET, HEAD, OPTIONS")
        return error
    }

    /// A name that no file of the public directory has.
    public static var noFile: RESTError {
        RESTError(
            status: 404, text: "There is no file of this name here. Data is at addresses that end in .json.")
    }

    static var badToken: RESTError { .bad("Invalid path: Invalid token in path") }
    static var badEncoding: RESTError { .bad("Invalid path: it is not percent-encoded UTF-8") }
    static var longKey: RESTError { .bad("Invalid path: a key is longer than \(Key.byteLimit) bytes") }
    static var deepPath: RESTError { .bad("Invalid path: it is deeper than \(Path.depthLimit) levels") }
    static var badOverride: RESTError {
        .bad("X-HTTP-Method-Override must be PUT, PATCH or DELETE, on a POST.")
    }
}

// MARK: Who asks

extension RESTError {
    /// A token that is none.
    public static var unreadableToken: RESTError {
        RESTError(status: 401, text: "Could not parse auth token.")
    }

    /// A token whose time is over.
    public static var expiredToken: RESTError {
        RESTError(status: 401, text: "Auth token is expired")
    }

    /// The rules, or the lack of an administrator's token, do not allow it.
    public static var permissionDenied: RESTError {
        RESTError(status: 401, text: "Permission denied")
    }
}

// MARK: Data

extension RESTError {
    /// A write without a body.
    public static var noData: RESTError { .bad("Error: No data supplied.") }

    /// A body that is not JSON or holds what the tree does not take; `detail` names what and where.
    public static func invalidData(_ detail: String) -> RESTError {
        .bad("Invalid data; couldn't parse JSON object, array, or value. \(detail)")
    }

    /// A PATCH whose body is no object, or has keys that are no paths; `detail` names what and where.
    public static func invalidUpdate(_ detail: String? = nil) -> RESTError {
        let text =
            "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?"
        return .bad(detail.map { "\(text) \($0)" } ?? text)
    }

    /// A body that is no value or, for a PATCH, no update; the text ends with the place and the reason.
    public init(_ error: DraftError, isUpdate: Bool) {
        self = isUpdate ? .invalidUpdate("\(error)") : .invalidData("\(error)")
    }

    /// A priority that is neither a number nor a string nor null.
    public static var invalidPriority: RESTError {
        .bad("Invalid data; a priority must be a number, a string or null.")
    }

    /// The answer to what the engine refuses. `conditionFailed` has the current value as its body instead,
    /// where the client may read it.
    public init(_ refusal: Refusal) {
        switch refusal {
        case .permissionDenied: self = .permissionDenied
        case .tooDeep:
            self = .bad("Invalid data; the value would stand deeper than \(Path.depthLimit) levels.")
        case .conditionFailed:
            self.init(status: 412, text: "ETag mismatch.")
        case .indexMissing(let index, let path):
            self = .bad(
                "Index not defined, add \".indexOn\": \"\(index)\", for path \"\(path)\", to the rules")
        case .tooLarge(let text): self = .bad(text)
        case .invalidRules(let text): self = .bad(text + "\n")
        }
    }
}

// MARK: Parameters

extension RESTError {
    static func conflict(_ name: RESTParameters.Name) -> RESTError {
        .bad("\(name.rawValue) is given twice with different values.")
    }

    static func badValue(_ name: RESTParameters.Name) -> RESTError {
        .bad("\(name.rawValue) is not percent-encoded UTF-8.")
    }

    static var queryOnWrite: RESTError {
        .bad("Querying related parameters not supported on this request type")
    }
    static var noOrder: RESTError { .bad("orderBy must be defined when other query parameters are defined") }
    static var badOrder: RESTError { .bad("orderBy must be a valid JSON encoded path") }
    static var badBound: RESTError { .bad("Constraint index field must be a JSON primitive") }
    static var badKeyBound: RESTError { .bad("Provided key index type is invalid, must be string") }
    static var badPriorityBound: RESTError {
        .bad("Constraint index field must be a valid priority: a number, a string or null")
    }
    static var bothLimits: RESTError { .bad("Only one of limitToFirst and limitToLast may be specified") }
    static var bothStarts: RESTError { .bad("Only one of startAt and startAfter may be specified") }
    static var bothEnds: RESTError { .bad("Only one of endAt and endBefore may be specified") }
    static var equalAndRange: RESTError {
        .bad("equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")
    }

    static func noInteger(_ name: RESTParameters.Name) -> RESTError {
        .bad("\(name.rawValue) must be an integer")
    }

    static func notPositive(_ name: RESTParameters.Name) -> RESTError {
        .bad("\(name.rawValue) must be positive")
    }

    static var badPrint: RESTError { .bad("print must be pretty or silent") }
    static var badFormat: RESTError { .bad("format must be export") }
    static var badCallback: RESTError {
        .bad(
            "callback must be JavaScript identifiers with dots between, at most 128 characters"
        )
    }
    static var callbackOnWrite: RESTError { .bad("callback is supported on GET only") }
    static var callbackWithAdministrator: RESTError {
        .bad("access_token must not be used together with callback: any page could read the answer")
    }
    static var badDownload: RESTError {
        .bad("download must be a file name of letters, digits, spaces and . _ -, at most 128 characters")
    }
    static var badSizeLimit: RESTError {
        .bad("writeSizeLimit must be one of tiny, small, medium, large, and unlimited")
    }

    static func badTimeout(atMost limit: String) -> RESTError {
        .bad("timeout must be a whole number with a unit, such as 500ms, 30s or 1min, at most \(limit)")
    }

    static var badFeed: RESTError { .bad("feed must be longpoll, on a GET") }
    static var badEvents: RESTError {
        .bad("events must be a list of child_added, child_changed, child_removed, child_moved, and value")
    }
    static var badCursor: RESTError {
        .bad("A cursor has the form EPOCH-REVISION, as the header Hearth-Cursor gives it")
    }
    static var badEventLimit: RESTError { .bad("limit must be a whole number that is not negative") }
    static var conditionOnMethod: RESTError {
        .bad("if-match is supported on PUT and DELETE, if-none-match on GET")
    }
    static var silentCondition: RESTError { .bad("print=silent is not supported on a conditional request") }
    static var repeatedHeader: RESTError { .bad("A header that must stand once is given several times.") }
    static var priorityOnly: RESTError {
        .bad("A priority can be read, set and removed; it has no children, events or order.")
    }
}
