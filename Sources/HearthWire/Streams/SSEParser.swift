// Reads Server-Sent Events, for clients.

/// One event of a stream.
public struct SSEEvent: Equatable, Sendable {
    /// The name of its `event` line; `message` without one.
    public let name: String
    /// Its `data` lines, joined by line feeds. The bytes are as they came, not checked to be UTF-8.
    public let data: [UInt8]
    /// The newest `id` of the stream up to this event; empty if there was none yet. The cursor to resume at.
    public let lastID: String

    /// Puts an event together.
    public init(name: String, data: [UInt8], lastID: String) {
        self.name = name
        self.data = data
        self.lastID = lastID
    }
}

/// A stream with an event that is larger than the client is ready to keep.
public struct SSEError: Error, Equatable, Sendable {
    /// The limit in bytes.
    public let limitBytes: Int

    /// An error that names this limit.
    public init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }
}

/// Cuts the bytes of a stream into events, as the HTML standard says ("Interpreting an event stream").
///
/// Lines end in CR LF, LF or CR, also when the two halves of a CR LF arrive apart. An event that has no data
/// is not told, but its `id` counts.
public struct SSEParser: Sendable {
    private let limitBytes: Int
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var endedInCR = false
    private var isFirstLine = true

    /// The newest `id` of an event that is complete.
    public private(set) var lastID: String
    /// How long the server asks to wait before reconnecting, in milliseconds; nil until it says so.
    public private(set) var retryMilliseconds: Int?
    private var pendingID: String

    /// Starts at the first byte of a stream.
    /// - Parameters:
    ///   - lastID: what an earlier stream has ended with, kept until the server sends another one.
    ///   - limitBytes: how large one event may be.
    public init(lastID: String = "", limitBytes: Int = 512 * 1024 * 1024) {
        self.lastID = lastID
        self.limitBytes = limitBytes
        pendingID = lastID
    }

    /// Takes the next bytes of the stream and returns the events that they complete.
    /// - Complexity: O(bytes).
    public mutating func events(in bytes: UnsafeRawBufferPointer) throws(SSEError) -> [SSEEvent] {
        var events: [SSEEvent] = []
        var start = 0
        if endedInCR, let first = bytes.first {
            endedInCR = false
            if first == 0x0a { start = 1 }
        }
        while let end = bytes[start...].firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
            try keep(bytes[start..<end])
            if let event = endLine() { events.append(event) }
            start = end + 1
            guard bytes[end] == 0x0d else { continue }
            if start == bytes.count {
                endedInCR = true
            } else if bytes[start] == 0x0a {
                start += 1
            }
        }
        try keep(bytes[start...])
        return events
    }

    private mutating func keep(_ part: Slice<UnsafeRawBufferPointer>) throws(SSEError) {
        guard line.count + data.count + part.count <= limitBytes else {
            throw SSEError(limitBytes: limitBytes)
        }
        line.append(contentsOf: part)
    }

    private mutating func endLine() -> SSEEvent? {
        if isFirstLine && line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: 0x3a) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0a) }
            data.append(contentsOf: value)
            hasData = true
        case "id" where !value.contains(0): pendingID = String(decoding: value, as: UTF8.self)
        case "retry": retryMilliseconds = Int(digits: value) ?? retryMilliseconds
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> SSEEvent? {
        lastID = pendingID
        defer {
            name = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return SSEEvent(name: name.isEmpty ? "message" : name, data: data, lastID: lastID)
    }
}

extension Int {
    /// The number that 1…9 digits spell, or nil.
    init?(digits: ArraySlice<UInt8>) {
        guard (1...9).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        self = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
