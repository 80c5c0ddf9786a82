// SHA-1 against the examples that its standard, the WebSocket protocol and Firebase's client publish.
import HearthCrypto
import Testing

@Suite("SHA-1")
struct SHA1Tests {
    @Test(
        "gives the published digest of a text, whole or in pieces",
        arguments: [
            ("", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="),
            ("abc", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
            ("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            ("boolean:true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
        ])
    func publishedText(text: String, base64: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.standard.encode(SHA1.digest(of: bytes).bytes) == base64)
        for cut in 0...bytes.count {
            var hash = SHA1()
            hash.update(Array(bytes[..<cut]))
            hash.update(Array(bytes[cut...]))
            #expect(Base64.standard.encode(hash.finish().bytes) == base64, "cut at \(cut)")
        }
    }
}
