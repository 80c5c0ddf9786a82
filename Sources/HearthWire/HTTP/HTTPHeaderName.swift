// The header names that are looked at, each spelled once.

/// A header name in lower case, known when the program is built.
public struct HTTPHeaderName: ExpressibleByStringLiteral, Sendable {
    let text: StaticString

    /// Wraps a literal, which must be in lower case for lookups to find anything.
    public init(stringLiteral text: StaticString) {
        self.text = text
    }

    /// What the client can read, for instance `text/event-stream`.
    public static var accept: Self { "accept" }
    /// The languages that the client's user reads.
    public static var acceptLanguage: Self { "accept-language" }
    /// The bearer token of an administrator.
    public static var authorization: Self { "authorization" }
    /// The headers a page wants to send, in a preflight.
    public static var accessControlRequestHeaders: Self { "access-control-request-headers" }
    /// The method a page wants to use, in a preflight.
    public static var accessControlRequestMethod: Self { "access-control-request-method" }
    /// Whether a public page wants to reach a private network, in a preflight.
    public static var requestPrivateNetwork: Self { "access-control-request-private-network" }
    /// The language that an SDK was set to.
    public static var firebaseLocale: Self { "x-firebase-locale" }
    /// The key of an app.
    public static var googleAPIKey: Self { "x-goog-api-key" }
    /// What the client says it is.
    public static var userAgent: Self { "user-agent" }
    /// The media type of the body.
    public static var contentType: Self { "content-type" }
    /// Set by proxies; see also `xForwardedFor`.
    public static var forwarded: Self { "forwarded" }
    /// Asks for the reasons of a refusal when `true`; the administrator's.
    public static var hearthExplain: Self { "hearth-explain" }
    /// The tag the current value must have.
    public static var ifMatch: Self { "if-match" }
    /// The date of the file the client already holds.
    public static var ifModifiedSince: Self { "if-modified-since" }
    /// The tag the client already holds.
    public static var ifNoneMatch: Self { "if-none-match" }
    /// The tag or date of the file of which a part is asked for.
    public static var ifRange: Self { "if-range" }
    /// The cursor of the last event a stream's client has seen.
    public static var lastEventID: Self { "last-event-id" }
    /// The origin of the page that asks.
    public static var origin: Self { "origin" }
    /// The part of a file that is asked for.
    public static var range: Self { "range" }
    /// The address of the page that asks, or its origin alone.
    public static var referer: Self { "referer" }
    /// Whether the page that asks belongs to this site.
    public static var secFetchSite: Self { "sec-fetch-site" }
    /// What a client offers beyond plain WebSocket frames.
    public static var secWebSocketExtensions: Self { "sec-websocket-extensions" }
    /// What the server must answer to, so that it shows that it speaks WebSocket.
    public static var secWebSocketKey: Self { "sec-websocket-key" }
    /// The version of the WebSocket protocol.
    public static var secWebSocketVersion: Self { "sec-websocket-version" }
    /// The protocol to change to.
    public static var upgrade: Self { "upgrade" }
    /// Asks for an `ETag` in the answer when `true`.
    public static var xFirebaseETag: Self { "x-firebase-etag" }
    /// Set by proxies: for whom they ask, the nearest one last.
    public static var xForwardedFor: Self { "x-forwarded-for" }
    /// Set by proxies: what the client speaks, `http` or `https`.
    public static var xForwardedProto: Self { "x-forwarded-proto" }
    /// Replaces the method of a POST.
    public static var xHTTPMethodOverride: Self { "x-http-method-override" }
}
