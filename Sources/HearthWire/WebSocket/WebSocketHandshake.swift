// From a request to a WebSocket: what must be asked, and how it is agreed to.
import HearthCrypto

/// A request to change a connection to a WebSocket that may be agreed to (RFC 6455 §4.2).
public struct WebSocketHandshake: Equatable, Sendable {
    /// Why a request is no such one, and what it is answered with.
    public enum Refusal: Error, Equatable, Sendable {
        /// It does not ask for a WebSocket: 426.
        case notAsked
        /// It asks for another version than 13, the only one there is: 426 with the version.
        case unknownVersion
        /// Its method is not GET, or its key is missing or no 16 bytes in base64: 400.
        case malformed
    }

    /// What the client's key is answered with.
    public let accept: String
    /// Whether both sides may compress messages.
    public let compresses: Bool

    /// Checks a request.
    public init(_ head: borrowing HTTPRequestHead) throws(Refusal) {
        guard head.wantsUpgrade, head.fields.value(of: .upgrade, has: "websocket") else { throw .notAsked }
        guard head.method == .get, head.body == .none else { throw .malformed }
        guard let version = head.fields.value(of: .secWebSocketVersion),
            head.fields.equals("13", in: version)
        else { throw .unknownVersion }
        guard head.fields.count(of: .secWebSocketKey) == 1,
            let range = head.fields.value(of: .secWebSocketKey)
        else { throw .malformed }
        let key = head.fields.text(range)
        guard Self.isKey(key) else { throw .malformed }
        accept = Self.accept(key)
        let offers = head.fields.value(of: .secWebSocketExtensions).map { head.fields.text($0) }
        compresses = offers.map(Self.offersDeflate) ?? false
    }

    /// Appends the answer; the bytes after it are frames.
    public func appendAnswer(to output: inout [UInt8]) {
        output.append(HTTPStatus.line(101))
        output.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ")
        output.append(contentsOf: accept.utf8)
        if compresses {
            output.append(
                """
                \r\nSec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; \
                client_no_context_takeover
                """)
        }
        output.append("\r\n\r\n")
    }

    /// What a key is answered with: it shows that the server knows what it agrees to.
    public static func accept(_ key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Base64.standard.encode(SHA1.digest(of: Array(text.utf8)).bytes)
    }

    /// Whether it is 16 bytes in base64.
    private static func isKey(_ text: String) -> Bool {
        // How a key is wrong does not matter to who cannot make a right one.
        (try? Base64.standard.decode(text).count) == 16
    }

    /// Whether one of the offered extensions is permessage-deflate in a form that can be agreed to.
    private static func offersDeflate(_ offers: String) -> Bool {
        offers.utf8.split(separator: 0x2C).contains { offer in
            let parts = offer.split(separator: 0x3B, omittingEmptySubsequences: false).map {
                String($0.filter { !$0.isBlank }.map { Character(Unicode.Scalar($0)) })
            }
            guard parts.first == "permessage-deflate" else { return false }
            let parameters = parts.dropFirst()
            return Set(parameters).count == parameters.count && parameters.allSatisfy(isAgreeable)
        }
    }

    /// A smaller window for the server's messages is not agreed to; one for the client's is its own matter.
    private static func isAgreeable(_ parameter: String) -> Bool {
        switch parameter {
        case "server_no_context_takeover", "client_no_context_takeover", "client_max_window_bits": true
        default:
            (8...15).contains {
                parameter == "client_max_window_bits=\($0)" || parameter == "client_max_window_bits=\"\($0)\""
            }
        }
    }
}
