// A request to a place in the tree, checked: from here on there is no text to misread.

public import HearthCore

/// What is to be done with a place.
public enum RESTAction: Equatable, Sendable {
    /// GET and HEAD.
    case read
    /// PUT.
    case set
    /// POST.
    case push
    /// PATCH.
    case update
    /// DELETE.
    case remove
}

/// The state that a location must have for the request to be done. The texts are opaque and never empty.
public enum RESTCondition: Equatable, Sendable {
    /// Any.
    case none
    /// `if-match`, on PUT and DELETE: just this tag.
    case match(String)
    /// `if-none-match`, on GET: another tag, else 304.
    case noneMatch(String)
}

/// How large a write may be, by the time it is estimated to take. Source: rest-api.md §4.
public enum RESTWriteSizeLimit: String, Sendable {
    case tiny, small, medium, large, unlimited
}

/// A request to a place in the tree whose every part has been checked; an object, because it is handed on
/// many times and has many parts. Source: rest-api.md §1–6, event-streams.md.
public final class RESTCall: Sendable {
    /// What is to be done, method overrides taken into account.
    public let action: RESTAction
    /// Whether just the head of the answer is wanted.
    public let isHead: Bool
    /// The place.
    public let location: RESTLocation
    /// The parameter `ns` as it was given, nil if it was not; architecture.md §9 says what it means.
    public let namespace: String?
    /// What shows who asks.
    public let credential: RESTCredential
    /// JSON to be used as `auth` by an administrator, not checked yet; nil if there is none.
    public let authOverride: String?
    /// Form of the answer.
    public let form: RESTForm
    /// Order, bounds and limit, nil without any: only then may children read as an array.
    public let query: Query?
    /// Whether there is a query at all.
    public let hasQuery: Bool
    /// What is to be told after the value.
    public let feed: RESTFeed
    /// What must be there.
    public let condition: RESTCondition
    /// Whether the answer shall carry an `ETag`: asked for, or part of a condition.
    public let wantsETag: Bool
    /// How long a read may take; nil without a bound of the client's own. Of no meaning for a long-poll.
    public let timeout: Duration?
    /// How large the write may be; nil for the default.
    public let writeSizeLimit: RESTWriteSizeLimit?
    /// Where in the head the cursor of a long-poll stands, if the same poll may come with another one there.
    public let cursorPlace: Range<Int>?

    /// Checks a request whose route is `data`.
    /// - Throws: the answer that says what is wrong: 400, 401 or 405.
    public init(_ head: borrowing HTTPRequestHead) throws(RESTError) {
        let parameters = try RESTParameters(head)
        let action = try Self.action(head, parameters)
        self.action = action
        isHead = head.method == .head
        location = try RESTLocation(encoded: head.fields.bytes[head.path].dropLast(5))
        namespace = parameters[.namespace]
        credential = try RESTCredential(head, parameters)
        authOverride = parameters[.authVariableOverride]
        form = try RESTForm(parameters, reads: action == .read)
        hasQuery = parameters.hasQuery
        if hasQuery && action != .read { throw .queryOnWrite }
        query = try RESTQuery(parameters: parameters, isShallow: form.isShallow).query()
        feed = action == .read ? try RESTFeed(head, parameters) : .value
        condition = try Self.condition(head, action)
        let asksForETag = try head.soleText(of: .xFirebaseETag)?.lowercased() == "true"
        wantsETag = asksForETag || condition != .none
        timeout = try Self.timeout(parameters, feed)
        writeSizeLimit = try Self.sizeLimit(parameters)
        if case .longPoll(let poll) = feed, case .cursor = poll.since {
            cursorPlace = parameters.sincePlace
        } else {
            cursorPlace = nil
        }
        try check()
    }

    /// The same poll from another cursor on.
    private init(_ call: RESTCall, _ poll: RESTFeed.LongPoll) {
        action = call.action
        isHead = call.isHead
        location = call.location
        namespace = call.namespace
        credential = call.credential
        authOverride = call.authOverride
        form = call.form
        query = call.query
        hasQuery = call.hasQuery
        feed = .longPoll(poll)
        condition = call.condition
        wantsETag = call.wantsETag
        timeout = call.timeout
        writeSizeLimit = call.writeSizeLimit
        cursorPlace = call.cursorPlace
    }

    /// What a head asks for that differs from that of this call at `cursorPlace` alone; nil if no cursor
    /// stands there.
    public func varied(by head: borrowing HTTPRequestHead) -> RESTCall? {
        guard case .longPoll(var poll) = feed, let cursorPlace,
            let cursor = Cursor(head.fields.text(cursorPlace))
        else { return nil }
        poll.since = .cursor(cursor)
        return RESTCall(self, poll)
    }

    /// What only the parts together can break.
    private func check() throws(RESTError) {
        if location.isPriority {
            guard action != .push, action != .update, query == nil, feed == .value else {
                throw .priorityOnly
            }
        }
        if form.callback != nil, case .accessToken = credential { throw .callbackWithAdministrator }
        if form.print == .silent, case .match = condition { throw .silentCondition }
    }

    private static func action(
        _ head: HTTPRequestHead, _ parameters: RESTParameters
    ) throws(RESTError) -> RESTAction {
        let header = try head.soleText(of: .xHTTPMethodOverride)
        if let name = header ?? parameters[.methodOverride] {
            guard head.method == .post else { throw .badOverride }
            switch HTTPMethod(name.uppercased()) {
            case .put: return .set
            case .patch: return .update
            case .delete: return .remove
            default: throw .badOverride
            }
        }
        switch head.method {
        case .get, .head: return .read
        case .put: return .set
        case .post: return .push
        case .patch: return .update
        case .delete: return .remove
        case .options, .other: throw .badMethod
        }
    }

    /// A condition where it has no meaning is refused on writes: the client relies on it. Reads ignore `if-
    /// match`.
    private static func condition(
        _ head: HTTPRequestHead, _ action: RESTAction
    ) throws(RESTError) -> RESTCondition {
        let match = try head.soleText(of: .ifMatch)
        let noneMatch = try head.soleText(of: .ifNoneMatch)
        switch action {
        case .read: return noneMatch.map { .noneMatch($0) } ?? .none
        case .set, .remove:
            guard noneMatch == nil else { throw .conditionOnMethod }
            return match.map { .match($0) } ?? .none
        case .push, .update:
            guard match == nil, noneMatch == nil else { throw .conditionOnMethod }
            return .none
        }
    }

    private static func timeout(
        _ parameters: RESTParameters, _ feed: RESTFeed
    ) throws(RESTError) -> Duration? {
        guard let text = parameters[.timeout], case .value = feed else { return nil }
        guard let duration = Duration(parameter: text), duration <= .seconds(900) else {
            throw .badTimeout(atMost: "15min")
        }
        return duration
    }

    private static func sizeLimit(_ parameters: RESTParameters) throws(RESTError) -> RESTWriteSizeLimit? {
        guard let text = parameters[.writeSizeLimit] else { return nil }
        guard let limit = RESTWriteSizeLimit(rawValue: text) else { throw .badSizeLimit }
        return limit
    }
}
