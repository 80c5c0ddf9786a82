// Finds the ends of replies in what a connection receives.
import Glibc

/// Reads replies piece by piece, whole or cut anywhere: HTTP/1.1 with a length or in chunks, or Redis's.
///
///     awaiting the head ──▶ in a body of known length ──┐
///            ▲    └───────▶ in chunks ──────────────────┤ the reply is whole
///            └──────────────────────────────────────────┘
struct ReplyReader {
    /// What is spoken.
    enum Form {
        case http
        /// Lines that begin with `+`: all that a `SET` is answered with.
        case redis
    }

    private enum State {
        case head
        case body(left: Int)
        case chunkSize(soFar: Int)
        /// With the end of line behind the chunk.
        case chunk(left: Int)
        /// Behind the last chunk: lines until an empty one.
        case trailer(lineLength: Int)
    }

    private let form: Form
    private var state = State.head
    /// A head that has not come whole, or the last one that has.
    private var head: [UInt8] = []
    private var isHeadWhole = false

    init(_ form: Form) {
        self.form = form
    }

    /// Whether the head of a reply is read, but not its end.
    var isWithinBody: Bool {
        if case .head = state { return false }
        return true
    }

    /// Takes what came.
    ///
    /// - Returns: how many replies have become whole.
    /// - Throws: when a reply tells of anything but success; its beginning is in the text.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(ComparisonFailure) -> Int {
        var count = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let isWhole: Bool
            switch state {
            case .head: isWhole = try readHead(&rest)
            case .body(let left): isWhole = readBody(&rest, left)
            case .chunkSize(let size): isWhole = readChunkSize(&rest, size)
            case .chunk(let left):
                let taken = min(left, rest.count)
                rest = rest.dropFirst(taken)
                state = left == taken ? .chunkSize(soFar: 0) : .chunk(left: left - taken)
                isWhole = false
            case .trailer(let length): isWhole = readTrailer(&rest, length)
            }
            if isWhole {
                state = .head
                count += 1
            }
        }
        return count
    }

    /// The value of a header of the newest head; the name is given as the server writes it.
    func header(_ name: String) -> String? {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let prefix = name.lowercased() + ":"
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return nil }
        return String(line.dropFirst(prefix.count).drop { $0 == " " })
    }

    private mutating func readHead(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(ComparisonFailure)
        -> Bool
    {
        if isHeadWhole {
            head.removeAll(keepingCapacity: true)
            isHeadWhole = false
        }
        while let byte = rest.popFirst() {
            head.append(byte)
            guard byte == 10, endsHead else { continue }
            isHeadWhole = true
            return try begin()
        }
        return false
    }

    private var endsHead: Bool {
        let count = head.count
        switch form {
        case .redis: return true
        case .http: return count >= 4 && head[count - 2] == 13 && head[count - 3] == 10
        }
    }

    /// What a whole head says of the body; true if there is none.
    private mutating func begin() throws(ComparisonFailure) -> Bool {
        guard isSuccess else {
            throw ComparisonFailure("a server answered: \(String(decoding: head.prefix(400), as: UTF8.self))")
        }
        guard form == .http, head[9] != UInt8(ascii: "1") else { return true }
        if let length = bodyLength {
            state = .body(left: length)
            return length == 0
        }
        state = .chunkSize(soFar: 0)
        return false
    }

    private var isSuccess: Bool {
        switch form {
        case .redis: return head.first == UInt8(ascii: "+")
        case .http:
            // 2xx, and 101 for a change of protocols.
            return head.count > 12 && (head[9] == UInt8(ascii: "2") || head[9] == UInt8(ascii: "1"))
        }
    }

    /// The number behind `content-length:`, nil where the body comes in chunks.
    private var bodyLength: Int? {
        let name: StaticString = "\ncontent-length:"
        let width = name.utf8CodeUnitCount
        return head.withUnsafeBufferPointer { bytes -> Int? in
            guard let base = bytes.baseAddress, bytes.count > width else { return nil }
            for start in 0..<bytes.count - width where bytes[start] == 10 && bytes[start + 8] == 45 {
                let line = UnsafeRawPointer(base + start).assumingMemoryBound(to: CChar.self)
                let isIt = name.utf8Start.withMemoryRebound(to: CChar.self, capacity: width) {
                    strncasecmp(line, $0, width) == 0
                }
                if isIt { return Int(strtol(line + width, nil, 10)) }
            }
            return nil
        }
    }

    private mutating func readBody(_ rest: inout Slice<UnsafeRawBufferPointer>, _ left: Int) -> Bool {
        let taken = min(left, rest.count)
        rest = rest.dropFirst(taken)
        state = .body(left: left - taken)
        return left == taken
    }

    private mutating func readChunkSize(_ rest: inout Slice<UnsafeRawBufferPointer>, _ soFar: Int) -> Bool {
        var size = soFar
        while let byte = rest.popFirst() {
            if let digit = Character(UnicodeScalar(byte)).hexDigitValue { size = size << 4 | digit }
            guard byte == 10 else { continue }
            state = size == 0 ? .trailer(lineLength: 0) : .chunk(left: size + 2)
            return false
        }
        state = .chunkSize(soFar: size)
        return false
    }

    private mutating func readTrailer(_ rest: inout Slice<UnsafeRawBufferPointer>, _ length: Int) -> Bool {
        var length = length
        while let byte = rest.popFirst() {
            if byte == 10, length == 0 { return true }
            if byte == 10 { length = 0 } else if byte != 13 { length += 1 }
        }
        state = .trailer(lineLength: length)
        return false
    }
}
