// Which part of the server a path belongs to: the one table of addresses.

/// Where a request goes, by its path alone. Source: architecture.md §6.
///
/// Reserved first segments come first, then account paths, then data, then files. Only exact spellings are
/// reserved: a percent-encoded dot makes a key that the tree refuses.
public enum Route: Equatable, Sendable {
    /// `*.json`: a place in the tree.
    case data
    /// `/.ws`: the realtime protocol over WebSocket.
    case webSocket
    /// `/.lp`: the realtime protocol over long polls.
    case realtimePoll
    /// `/.settings/NAME.json`, the text being NAME: `rules`, `import` and the like. Decoded, may contain
    /// slashes.
    case settings(String)
    /// `/.info…json`, the text being what follows `.info/`: what a client's SDK asks about its connection.
    case info(String)
    /// `/.inspect…`, the text being what follows.
    case inspect(String)
    /// `/.files…`, the text being what follows.
    case files(String)
    /// `/.health`: whether the server is ready.
    case health
    /// `/.metrics`: counters.
    case metrics
    /// `/.well-known/jwks.json`: the keys that tokens are signed with.
    case publishedKeys
    /// An address of the identity services, none of which ends in `.json` (accounts.md §1).
    case account
    /// Anything else: a file of the public directory, if there is one.
    case file
    /// `OPTIONS *`: the server as a whole.
    case server
    /// A reserved first segment with something after it that means nothing.
    case unknown

    /// Finds the route of a request. Methods and parameters do not matter.
    public init(_ head: borrowing HTTPRequestHead) {
        let path = head.fields.bytes[head.path]
        if path.count > 1, path[path.startIndex + 1] == 0x2e, let reserved = Self.reserved(path) {
            self = reserved
        } else if Self.withoutSuffix(path) != nil {
            self = .data
        } else if path.first == 0x2a {
            self = .server
        } else {
            self = Self.isAccount(path) ? .account : .file
        }
    }

    /// The route of a path whose first segment begins with a dot, nil if that segment is not reserved.
    private static func reserved(_ path: ArraySlice<UInt8>) -> Route? {
        let start = path.startIndex + 1
        let end = path[start...].firstIndex(of: 0x2f) ?? path.endIndex
        let rest = path[min(end + 1, path.endIndex)...]
        switch String(decoding: path[start..<end], as: UTF8.self) {
        case ".ws": return rest.isEmpty ? .webSocket : .unknown
        case ".lp": return rest.isEmpty ? .realtimePoll : .unknown
        case ".health": return rest.isEmpty ? .health : .unknown
        case ".metrics": return rest.isEmpty ? .metrics : .unknown
        case ".well-known": return rest.elementsEqual("jwks.json".utf8) ? .publishedKeys : .unknown
        case ".settings": return named(withoutSuffix(rest), Route.settings)
        case ".info": return named(withoutSuffix(rest), Route.info)
        case ".info.json": return .info("")
        case ".inspect", ".inspect.json": return named(rest, Route.inspect)
        case ".files": return named(rest, Route.files)
        default: return nil
        }
    }

    private static func named(_ rest: ArraySlice<UInt8>?, _ make: (String) -> Route) -> Route {
        guard let rest, let name = PercentDecoding.path.text(of: rest) else { return .unknown }
        return make(name)
    }

    private static func withoutSuffix(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let suffix: StaticString = ".json"
        let start = rest.endIndex - suffix.utf8CodeUnitCount
        guard start >= rest.startIndex else { return nil }
        for index in start..<rest.endIndex where rest[index] != suffix.utf8Start[index - start] { return nil }
        return rest[..<start]
    }

    /// Whether the address belongs to the identity services.
    public var isIdentity: Bool { self == .account || self == .publishedKeys }

    private static func isAccount(_ path: ArraySlice<UInt8>) -> Bool {
        let prefixes: [StaticString] = [
            "/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/",
            "/www.googleapis.com/identitytoolkit/",
            "/www.googleapis.com/service_accounts/", "/__/auth/", "/emulator/auth/",
            "/v1/accounts", "/v1/token", "/v1/projects", "/v1/recaptchaParams", "/v2/accounts",
            "/v2/projects",
            "/v2/passwordPolicy", "/v2/recaptchaConfig", "/emulator/v1/", "/emulator/action",
        ]
        return prefixes.contains { prefix in
            let bytes = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            return path.starts(with: bytes)
        }
    }
}
