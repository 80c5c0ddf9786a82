// Why a WebSocket connection ends.

/// The number that a close frame carries. Source: RFC 6455 §7.4.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Wraps any number; `mayBeSent` says whether it is one that a frame may carry.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Everything was said.
    public static let normal = Self(rawValue: 1000)
    /// The server stops, or the page was left.
    public static let goingAway = Self(rawValue: 1001)
    /// The frames break the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// Bytes came where only text is taken.
    public static let unsupportedData = Self(rawValue: 1003)
    /// A text is no UTF-8, or compressed data are broken.
    public static let invalidData = Self(rawValue: 1007)
    /// What was said means nothing to the protocol above.
    public static let policyViolation = Self(rawValue: 1008)
    /// A message is larger than the receiver takes.
    public static let tooBig = Self(rawValue: 1009)
    /// The server has too much to do.
    public static let tryAgainLater = Self(rawValue: 1013)

    /// Whether a frame may carry it: assigned ones, and those left to libraries and applications.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// What a client did that ends its connection, with the code that the close frame carries.
public struct WebSocketError: Error, Hashable, Sendable {
    /// The code of the close frame.
    public let code: WebSocketCloseCode
    /// What was wrong, in ASCII, at most 123 bytes: the reason in the close frame.
    public let reason: String

    /// Puts an error together.
    public init(_ code: WebSocketCloseCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static let reservedBits = Self(.protocolError, "reserved bits are set")
    static let reservedOpcode = Self(.protocolError, "the opcode is a reserved one")
    static let unmasked = Self(.protocolError, "frames of a client must be masked")
    static let longLength = Self(.protocolError, "the length is not in its shortest form")
    static let fragmentedControl = Self(.protocolError, "a control frame is fragmented")
    static let longControl = Self(.protocolError, "a control frame has more than 125 bytes")
    static let nothingToContinue = Self(.protocolError, "a continuation without a beginning")
    static let unfinishedMessage = Self(.protocolError, "a message begins inside another")
    static let compressedControl = Self(
        .protocolError, "a control frame or continuation is marked compressed")
    static let badClose = Self(.protocolError, "the close frame has a wrong code")
    static let invalidText = Self(.invalidData, "the text is not UTF-8")
    static let badDeflate = Self(.invalidData, "the compressed data are broken")

    static func tooBig(limit: Int) -> Self {
        Self(.tooBig, "a message has more than \(limit) bytes")
    }
}
