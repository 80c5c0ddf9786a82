// Reads the answer to a long-poll request.

internal import HearthJSON

/// What a long-poll answer must have and this one has not, or why it is no JSON.
struct EventBatchFault: Error, Equatable {
    let reason: String
}

extension EventBatch {
    /// Reads `{"cursor": …, "resync": …, "events": […]}`; members it does not know are passed over.
    /// - Complexity: O(n) in the bytes of the answer.
    init(parsing body: [UInt8]) throws(EventBatchFault) {
        self = try readBatch(body)
    }
}

/// The closure of `withUnsafeBytes` must not throw a typed error, so that the outcome travels as a value.
private func readBatch(_ body: [UInt8]) throws(EventBatchFault) -> EventBatch {
    let outcome = body.withUnsafeBytes { bytes in
        var reading = BatchReading(bytes)
        return reading.outcome()
    }
    switch outcome {
    case .success(let batch): return batch
    case .failure(let fault): throw fault
    }
}

private struct BatchReading {
    private let bytes: UnsafeRawBufferPointer
    private var reader = JSONReader(
        limits: JSONLimits(keyBytes: 1 << 20, stringBytes: .max / 2, totalBytes: .max / 2))
    private var cursor: String?
    private var isResync = false
    private var events: [StreamEvent]?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func outcome() -> Result<EventBatch, EventBatchFault> {
        do throws(JSONError) {
            try readAll()
        } catch {
            return .failure(EventBatchFault(reason: "its event list is no JSON: \(error)"))
        }
        guard let cursor, let events else {
            return .failure(EventBatchFault(reason: "its event list has no cursor or no events"))
        }
        return .success(EventBatch(isResync: isResync, events: events, cursor: cursor))
    }

    private mutating func next() throws(JSONError) -> JSONToken { try reader.next(in: bytes, isFinal: true) }

    private mutating func readAll() throws(JSONError) {
        guard try next() == .beginObject else { return }
        while case .key(let name) = try next() {
            if name.says("cursor", in: bytes) {
                cursor = try readText()
            } else if name.says("resync", in: bytes) {
                isResync = try text(ofValue: ()) == "true"
            } else if name.says("events", in: bytes) {
                try readEvents()
            } else {
                _ = try text(ofValue: ())
            }
        }
        _ = try next()
    }

    private mutating func readEvents() throws(JSONError) {
        guard try next() == .beginArray else { return }
        var all: [StreamEvent] = []
        while true {
            switch try next() {
            case .beginObject:
                guard let event = try readEvent() else { return }
                all.append(event)
            case .endArray:
                events = all
                return
            default: return
            }
        }
    }

    /// Reads an event behind its opening brace; nil when it lacks kind or cursor.
    private mutating func readEvent() throws(JSONError) -> StreamEvent? {
        let start = reader.consumed - 1
        var texts: [String: String] = [:]
        var data = "null"
        while case .key(let name) = try next() {
            if name.says("data", in: bytes) {
                data = try text(ofValue: ())
            } else {
                texts[name.string(in: bytes)] = try readText()
            }
        }
        guard let kind = texts["event"], let cursor = texts["cursor"] else { return nil }
        return StreamEvent(
            kind: kind, key: texts["key"], previous: texts["previous"], data: data, cursor: cursor,
            text: oneLine(start..<reader.consumed))
    }

    /// Reads a value; nil when it is no string.
    private mutating func readText() throws(JSONError) -> String? {
        let token = try next()
        if case .string(let text) = token { return text.string(in: bytes) }
        try skipRest(of: token)
        return nil
    }

    /// Reads a value and returns it as it is written.
    private mutating func text(ofValue: Void) throws(JSONError) -> String {
        var start = reader.consumed
        while start < bytes.count, isBetweenTokens(bytes[start]) { start += 1 }
        try skipRest(of: try next())
        return oneLine(start..<reader.consumed)
    }

    private mutating func skipRest(of token: JSONToken) throws(JSONError) {
        guard token == .beginObject || token == .beginArray else { return }
        let depth = reader.depth
        while reader.depth >= depth { _ = try next() }
    }

    private func isBetweenTokens(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// Line breaks stand only between tokens, where a space says the same.
    private func oneLine(_ range: Range<Int>) -> String {
        let slice = bytes[range]
        guard slice.contains(where: { $0 == 0x0a || $0 == 0x0d }) else {
            return String(decoding: slice, as: UTF8.self)
        }
        return String(decoding: slice.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }, as: UTF8.self)
    }
}
