// Makes request heads for the tests of what they mean.

import HearthWire
import Testing

/// The head of a request in one line: `"GET /a.json?shallow=true"`, with header lines.
func head(_ line: String, _ lines: String...) throws -> HTTPRequestHead {
    let text = "\(line) HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    var parser = HTTPRequestParser()
    return try #require(try Array(text.utf8).withUnsafeBytes { try parser.next(in: $0) })
}

/// A parameter's value as `encodeURIComponent` writes it.
func encoded(_ text: String) -> String {
    text.utf8.map { byte in
        let character = Character(UnicodeScalar(byte))
        let isPlain =
            byte < 0x80 && (character.isLetter || character.isNumber || "-_.!~*'()".contains(character))
        let digits = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(character) : "%" + (digits.count == 1 ? "0" + digits : digits)
    }.joined()
}

/// The call of a GET of `/rooms/lobby.json` with these parameters, which are encoded here.
func read(_ parameters: KeyValuePairs<String, String>) throws -> RESTCall {
    let query = parameters.map { "\($0.key)=\(encoded($0.value))" }.joined(separator: "&")
    return try RESTCall(head("GET /rooms/lobby.json?\(query)"))
}

/// The error that `body` ends with.
func refusal(_ body: () throws -> RESTCall) -> RESTError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? RESTError
    }
}
