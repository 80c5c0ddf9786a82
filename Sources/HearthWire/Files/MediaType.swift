// What a client says that a file is, and whether its first bytes bear it out.

/// A media type without parameters, in lower case: `image/png`.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// The type and the subtype with a slash between, at most 127 characters.
    public let description: String

    /// Bytes of unknown meaning.
    public static let bytes = MediaType(checked: "application/octet-stream")

    private init(checked text: String) {
        description = text
    }

    /// Reads the value of a `Content-Type`; nil if it is none (RFC 9110 §8.3.1). Parameters are dropped.
    public init?(_ header: String) {
        let end = header.firstIndex(of: ";") ?? header.endIndex
        var text = header[..<end].drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 127,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenCharacter) })
        else { return nil }
        description = text.lowercased()
    }

    /// Whether it is an image, a sound or a film: what a page shows by itself.
    public var isMedia: Bool {
        ["image/", "audio/", "video/"].contains { description.hasPrefix($0) }
    }

    /// Whether a file that begins with these bytes may be of this type.
    ///
    /// Media must have a beginning that is known of exactly this type. So drawings with scripts in them (SVG)
    /// are never media here, and nothing becomes an image by its name. Other types are taken at their word:
    /// nobody is ever shown them.
    ///
    /// - Parameter beginning: 64 bytes, or all if there are fewer.
    public func fits(_ beginning: [UInt8]) -> Bool {
        !isMedia || MediaBeginning.types(of: beginning).contains("\(description)")
    }
}

/// The beginnings of files by which media are known.
private enum MediaBeginning {
    private static let beginnings: [(bytes: [UInt8], types: [String])] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], ["image/png"]),
        ([0xFF, 0xD8, 0xFF], ["image/jpeg"]),
        (Array("GIF87a".utf8), ["image/gif"]), (Array("GIF89a".utf8), ["image/gif"]),
        (Array("fLaC".utf8), ["audio/flac"]),
        (Array("OggS".utf8), ["audio/ogg", "video/ogg"]),
        (Array("ID3".utf8), ["audio/mpeg"]), ([0xFF, 0xFB], ["audio/mpeg"]), ([0xFF, 0xF3], ["audio/mpeg"]),
        ([0xFF, 0xF2], ["audio/mpeg"]), ([0xFF, 0xFA], ["audio/mpeg"]),
    ]

    /// The types that a file may have which begins so; none if it is not known.
    static func types(of bytes: [UInt8]) -> [String] {
        if let known = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return known.types }
        if has("RIFF", at: 0, in: bytes) {
            if has("WEBP", at: 8, in: bytes) { return ["image/webp"] }
            if has("WAVE", at: 8, in: bytes) { return ["audio/wav", "audio/wave", "audio/x-wav"] }
        }
        if has("ftyp", at: 4, in: bytes) { return boxTypes(bytes) }
        // Matroska's frame, whose kind stands in its first element.
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]), contains("webm", bytes) {
            return ["video/webm", "audio/webm"]
        }
        return []
    }

    /// Files of boxes (ISO 14496-12), by the brand that comes first.
    private static func boxTypes(_ bytes: [UInt8]) -> [String] {
        if has("avif", at: 8, in: bytes) || has("avis", at: 8, in: bytes) { return ["image/avif"] }
        if has("qt  ", at: 8, in: bytes) { return ["video/quicktime"] }
        let isStill = ["heic", "heix", "mif1"].contains { has($0, at: 8, in: bytes) }
        return isStill ? ["image/heic", "image/heif"] : ["video/mp4", "audio/mp4", "audio/x-m4a"]
    }

    private static func has(_ text: String, at offset: Int, in bytes: [UInt8]) -> Bool {
        bytes.dropFirst(offset).starts(with: text.utf8)
    }

    private static func contains(_ text: String, _ bytes: [UInt8]) -> Bool {
        bytes.indices.prefix(64).contains { has(text, at: $0, in: bytes) }
    }
}
