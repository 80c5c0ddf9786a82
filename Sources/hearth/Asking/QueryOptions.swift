// Order, bounds and limits of `get` and `watch`, turned into the parameters of the REST API.

import HearthJSON

/// Declares and reads the query options. Parameters: rest-api.md §5.
enum QueryOptions {
    static let orderBy = Option.value(
        "order-by", "CHILD", "orders by a child or a deeper path, for which the rules need an .indexOn")
    static let orderByKey = Option.flag("order-by-key", "orders by key")
    static let orderByValue = Option.flag("order-by-value", "orders by the children's own values")
    static let startAt = Option.value("start-at", "VALUE", "leaves out what comes before VALUE")
    static let endAt = Option.value("end-at", "VALUE", "leaves out what comes after VALUE")
    static let equalTo = Option.value("equal-to", "VALUE", "leaves out everything else than VALUE")
    static let limitToFirst = Option.value("limit-to-first", "N", "at most the first N children")
    static let limitToLast = Option.value("limit-to-last", "N", "at most the last N children")

    static let all = [
        orderBy, orderByKey, orderByValue, startAt, endAt, equalTo, limitToFirst, limitToLast,
    ]

    static let note =
        "VALUE is a JSON number, true, false, null or a quoted string; anything else is taken as a "
        + "string. With "
        + "--order-by-key it is a key. A query without an order goes by key."

    /// The parameters, not yet encoded; none without query options.
    static func parameters(_ invocation: Invocation) throws(CommandFailure) -> [(name: String, value: String)]
    {
        let order = try order(invocation)
        var parameters: [(name: String, value: String)] = []
        for (option, name) in [(startAt, "startAt"), (endAt, "endAt"), (equalTo, "equalTo")] {
            guard let text = invocation.value(of: option) else { continue }
            parameters.append((name, bound(text, isKey: order == nil || order == "$key")))
        }
        guard !invocation.has(limitToFirst) || !invocation.has(limitToLast) else {
            throw .misused("give only one of --limit-to-first and --limit-to-last")
        }
        for (option, name) in [(limitToFirst, "limitToFirst"), (limitToLast, "limitToLast")] {
            guard let number = try invocation.integer(of: option, in: 1...Int.max) else { continue }
            parameters.append((name, String(number)))
        }
        guard order != nil || !parameters.isEmpty else { return [] }
        return [("orderBy", quoted(order ?? "$key"))] + parameters
    }

    /// What to order by; nil if nothing was said.
    private static func order(_ invocation: Invocation) throws(CommandFailure) -> String? {
        let given = [orderBy, orderByKey, orderByValue].filter { invocation.has($0) }
        guard given.count <= 1 else {
            throw .misused("give only one of \(given.map(\.spelling).joined(separator: ", "))")
        }
        if invocation.has(orderByKey) { return "$key" }
        if invocation.has(orderByValue) { return "$value" }
        return invocation.value(of: orderBy)
    }

    /// A bound as JSON.
    static func bound(_ text: String, isKey: Bool) -> String {
        let isString = text.hasPrefix("\"")
        guard isPrimitive(text), !isKey || isString else { return quoted(text) }
        return text
    }

    private static func isPrimitive(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader()
            // What is no JSON is no primitive; it is taken as a string.
            guard let token = try? reader.next(in: bytes, isFinal: true) else { return false }
            switch token {
            case .string, .integer, .double, .bool, .null: break
            default: return false
            }
            // The same: something after the value.
            return (try? reader.next(in: bytes, isFinal: true)) == .end
        }
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.take(), as: UTF8.self)
    }
}
