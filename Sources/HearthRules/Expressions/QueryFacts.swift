// What the variables `query`, `request` and `resource` tell.
import HearthCore

/// What a rule sees of the query of a read (security-rules.md §8).
struct QueryFacts: Sendable {
    enum Member: String, CaseIterable, Sendable {
        case orderByKey, orderByValue, orderByPriority, orderByChild
        case startAt, endAt, equalTo, limitToFirst, limitToLast

        var type: ValueType {
            switch self {
            case .orderByKey, .orderByValue, .orderByPriority: .boolean
            case .orderByChild: .string
            case .startAt, .endAt, .equalTo: .primitive
            case .limitToFirst, .limitToLast: .number
            }
        }
    }

    /// Nil for a plain read.
    let query: Query?

    func value(_ member: Member) -> Value {
        switch member {
        case .orderByKey: .bool(query?.order == .key)
        case .orderByValue: .bool(query?.order == .value)
        case .orderByPriority: .bool(query?.order == .priority)
        case .orderByChild: orderByChild
        case .startAt: bound(query?.lower)
        case .endAt: bound(query?.upper)
        case .equalTo: equalTo
        case .limitToFirst: if case .first(let count) = query?.limit { .integer(Int64(count)) } else { .null }
        case .limitToLast: if case .last(let count) = query?.limit { .integer(Int64(count)) } else { .null }
        }
    }

    private var orderByChild: Value {
        guard case .child = query?.order, let name = query?.order.indexName else { return .null }
        return .string(name)
    }

    private func bound(_ bound: Query.Bound?) -> Value {
        guard let bound else { return .null }
        if query?.order != .key {
            if case .leaf(let leaf) = bound.value { return Value(leaf) }
            return .null
        }
        switch bound.key {
        case .before(let key), .after(let key): return .string(key.text)
        case .start, .end: return .null
        }
    }

    /// Set whenever both bounds have the same value: that is what `equalTo` is when it is sent.
    private var equalTo: Value {
        let lower = bound(query?.lower)
        return query?.lower != nil && query?.upper != nil && lower.equals(bound(query?.upper)) ? lower : .null
    }
}

/// What a rule for uploaded files sees of one (security-rules.md §1).
public struct FileFacts: Hashable, Sendable {
    enum Member: Sendable {
        case requestSize, requestContentType, resourceSize, resourceContentType
    }

    /// One side of a transfer.
    public struct Side: Hashable, Sendable {
        /// Bytes; nil where there is none.
        public var size: Int64?
        /// The media type; nil where there is none.
        public var contentType: String?

        /// Puts a side together; without arguments there is nothing.
        public init(size: Int64? = nil, contentType: String? = nil) {
            self.size = size
            self.contentType = contentType
        }
    }

    /// What is sent.
    public var request: Side
    /// What is stored.
    public var resource: Side

    /// Puts both sides together; without arguments there is nothing.
    public init(request: Side = Side(), resource: Side = Side()) {
        self.request = request
        self.resource = resource
    }

    func value(_ member: Member) -> Value {
        switch member {
        case .requestSize: request.size.map(Value.integer) ?? .null
        case .requestContentType: request.contentType.map(Value.string) ?? .null
        case .resourceSize: resource.size.map(Value.integer) ?? .null
        case .resourceContentType: resource.contentType.map(Value.string) ?? .null
        }
    }
}
