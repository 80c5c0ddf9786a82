// In which form a value is wanted: layout, priorities, depth, wrapping.

/// In which form an answer is wanted. Source: rest-api.md §4.
public struct RESTForm: Equatable, Sendable {
    /// How much is printed.
    public enum Print: Equatable, Sendable {
        /// JSON without white space.
        case plain
        /// JSON over several lines.
        case pretty
        /// 204 and no body on success.
        case silent
    }

    /// How much is printed.
    public var print = Print.plain
    /// Whether priorities are shown (`format=export`).
    public var isExport = false
    /// Whether children are told as `true`.
    public var isShallow = false
    /// The checked name of the function that the JSON is passed to, nil for plain JSON.
    public var callback: HTTPFieldValue?
    /// The checked name under which a browser should save the answer.
    public var downloadName: HTTPFieldValue?

    /// Compact JSON, nothing else.
    public init() {}

    init(_ parameters: RESTParameters, reads: Bool) throws(RESTError) {
        switch parameters[.print] {
        case nil, "": break
        case "pretty": print = .pretty
        case "silent": print = .silent
        default: throw .badPrint
        }
        switch parameters[.format] {
        case nil, "": break
        case "export": isExport = true
        default: throw .badFormat
        }
        isShallow = parameters.isTrue(.shallow)
        if let text = parameters[.callback] {
            guard reads else { throw .callbackOnWrite }
            guard Self.isCallback(text), let value = HTTPFieldValue(text) else { throw .badCallback }
            callback = value
        }
        if let text = parameters[.download], reads {
            guard Self.isFileName(text), let value = HTTPFieldValue(text) else { throw .badDownload }
            downloadName = value
        }
    }

    /// One or more identifiers of ASCII letters, digits, `_` and `$`, with dots between.
    private static func isCallback(_ text: String) -> Bool {
        guard text.utf8.count <= 128 else { return false }
        return text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.first, !first.isDigit else { return false }
            return part.allSatisfy { $0.isLetterOrDigit || $0 == 0x5f || $0 == 0x24 }
        }
    }

    /// Letters, digits, spaces and `._-`; neither hidden nor empty.
    private static func isFileName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != 0x2e, text.utf8.count <= 128 else { return false }
        return text.utf8.allSatisfy { $0.isLetterOrDigit || " ._-".utf8.contains($0) }
    }
}

extension UInt8 {
    var isLetterOrDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 26 }
}
