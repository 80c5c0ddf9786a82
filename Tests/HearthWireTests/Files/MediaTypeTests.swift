// What a client may say that a file is.
import HearthWire
import Testing

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is read without its parameters, in lower case",
        arguments: [
            ("image/png", "image/png"), (" Image/PNG ", "image/png"),
            ("text/html; charset=utf-8", "text/html"),
            ("text/plain ;x=y", "text/plain"), ("application/vnd.x+json", "application/vnd.x+json"),
            ("", nil), ("image", nil), ("image/", nil), ("/png", nil), ("a/b/c", nil), ("image/p ng", nil),
            ("image/png\r\nX: y", nil), ("ä/b", nil), ("text/<b>", nil),
            (String(repeating: "a", count: 64) + "/" + String(repeating: "b", count: 63), nil),
        ] as [(String, String?)])
    func reading(text: String, type: String?) {
        #expect(MediaType(text)?.description == type)
    }

    private static let beginnings: [(types: [String], bytes: [UInt8])] = [
        (["image/png"], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]),
        (["image/jpeg"], [0xFF, 0xD8, 0xFF, 0xE0, 0]),
        (["image/gif"], Array("GIF87a..".utf8)), (["image/gif"], Array("GIF89a..".utf8)),
        (["image/webp"], Array("RIFF....WEBPVP8 ".utf8)),
        (["audio/wav", "audio/wave", "audio/x-wav"], Array("RIFF....WAVEfmt ".utf8)),
        (["image/avif"], [0, 0, 0, 24] + Array("ftypavif".utf8)),
        (["image/heic", "image/heif"], [0, 0, 0, 24] + Array("ftypheic".utf8)),
        (["video/mp4", "audio/mp4", "audio/x-m4a"], [0, 0, 0, 24] + Array("ftypisom".utf8)),
        (["video/quicktime"], [0, 0, 0, 24] + Array("ftypqt  ".utf8)),
        (
            ["video/webm", "audio/webm"],
            [0x1A, 0x45, 0xDF, 0xA3, 0x01, 0x42, 0x82, 0x84] + Array("webm".utf8)
        ),
        (["audio/ogg", "video/ogg"], Array("OggS....".utf8)), (["audio/flac"], Array("fLaC....".utf8)),
        (["audio/mpeg"], Array("ID3.....".utf8)), (["audio/mpeg"], [0xFF, 0xFB, 0x90, 0]),
        ([], Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)), ([], Array("<html>".utf8)),
        ([], Array("%PDF-1.7".utf8)), ([], []), ([], [0xFF, 0xFE, 0x3C, 0]), ([], Array("RIFF".utf8)),
        ([], [0x1A, 0x45, 0xDF, 0xA3] + Array("matroska".utf8)), ([], [0x89, 0x50, 0x4E, 0x47]),
    ]

    @Test("of media fits the beginning that such files have, and no other")
    func fitting() throws {
        let all = Set(Self.beginnings.flatMap(\.types)).union([
            "image/svg+xml", "image/x-anything", "audio/midi",
        ])
        for (types, bytes) in Self.beginnings {
            for text in all {
                let type = try #require(MediaType(text))
                #expect(type.isMedia)
                #expect(type.fits(bytes) == types.contains(text), "\(text): \(bytes.prefix(12))")
            }
            for text in ["text/html", "application/octet-stream", "font/woff2"] {
                let type = try #require(MediaType(text))
                #expect(!type.isMedia && type.fits(bytes))
            }
        }
    }
}
