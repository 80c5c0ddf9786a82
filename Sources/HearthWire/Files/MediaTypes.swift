// What a file is, by its name.

/// The media types of the files of web pages, by the ending of their names.
public enum MediaTypes {
    /// Text is UTF-8, as everything else here.
    private static let types: [String: StaticString] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "vtt": "text/vtt; charset=utf-8",
        "ics": "text/calendar; charset=utf-8",
        "xml": "application/xml; charset=utf-8", "webmanifest": "application/manifest+json; charset=utf-8",
        "map": "application/json; charset=utf-8", "wasm": "application/wasm", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon",
        "bmp": "image/bmp",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg", "oga": "audio/ogg",
        "opus": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac",
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg",
    ]

    /// The type of a file of that name; bytes of unknown meaning where the ending says nothing.
    public static func ofFile(named name: String) -> HTTPContentType {
        guard let dot = name.lastIndex(of: "."),
            let type = types[name[name.index(after: dot)...].lowercased()]
        else { return .other(HTTPFieldValue("application/octet-stream")) }
        return .other(HTTPFieldValue(type))
    }
}
