// Fuzzes the reader of requests: heads, their bodies, and what a REST call makes of a head.
import HearthCore
import HearthWire

/// The input is what a connection sends: request after request, each with its body.
func feed(_ input: [UInt8]) {
    input.withUnsafeBytes { input in
        let whole = HTTPFuzz.heads(in: input, step: input.count)
        // Cut into pieces, it must be read as the same.
        precondition(HTTPFuzz.heads(in: input, step: 7) == whole)
    }
}

enum HTTPFuzz {
    private static let bodyLimit = 1 << 20

    /// What each head came to, as text: its length and what was asked, or why it was refused.
    static func heads(in input: UnsafeRawBufferPointer, step: Int) -> [String] {
        var found: [String] = []
        var parser = HTTPRequestParser()
        var start = 0
        var end = min(step, input.count)
        do throws(HTTPParseError) {
            while true {
                let rest = UnsafeRawBufferPointer(rebasing: input[start..<end])
                if let head = try parser.next(in: rest) {
                    found.append(described(head))
                    start += head.byteCount
                    start = try afterBody(head, input, start)
                    end = max(start, end)
                } else if end == input.count {
                    return found
                } else {
                    end = min(end + step, input.count)
                }
            }
        } catch {
            return found + ["\(error)"]
        }
    }

    private static func afterBody(
        _ head: HTTPRequestHead, _ input: UnsafeRawBufferPointer, _ start: Int
    ) throws(HTTPParseError) -> Int {
        var decoder = try HTTPBodyDecoder(head.body, limit: bodyLimit)
        var start = start
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: input[start...])
            let piece = try decoder.next(in: rest)
            precondition(piece.consumed <= rest.count && piece.bytes.upperBound <= rest.count)
            start += piece.consumed
            if piece.isLast || piece.consumed == 0 { return start }
        }
    }

    private static func described(_ head: HTTPRequestHead) -> String {
        let route = Route(head)
        guard route == .data else { return "\(head.byteCount) \(route)" }
        do throws(RESTError) {
            let call = try RESTCall(head)
            return "\(head.byteCount) \(call.action) \(call.location) \(call.form)"
        } catch {
            return "\(head.byteCount) \(error)"
        }
    }
}
