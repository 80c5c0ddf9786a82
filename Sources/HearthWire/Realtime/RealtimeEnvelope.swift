// The outermost levels of a message, found in one pass; what is inside stays text.
import HearthJSON

/// Where the parts of a message stand in its text.
///
///     {"t":"d","d":{"r":2,"a":"q","b":{"p":"/rooms/lobby","h":""}}}
///          └ kind          │       │      └ body ──────────────┘
///                    number┘       └ action
///
/// The order of members does not matter, and the last of equal ones counts.
struct RealtimeEnvelope {
    /// `c` or `d`.
    private(set) var kind: String?
    /// The number of a request.
    private(set) var number: Int64?
    /// The action of a request.
    private(set) var action: String?
    /// The command of a control message.
    private(set) var command: String?
    /// The members of the body and the text of their values.
    private(set) var body: [(name: JSONText, value: Range<Int>)] = []

    private let buffer: UnsafeRawBufferPointer
    private var reader = JSONReader()

    /// - Throws: the fault of a text that is no JSON. One that is no object has no parts.
    init(_ buffer: UnsafeRawBufferPointer) throws(JSONError) {
        self.buffer = buffer
        guard try next() == .beginObject else { return }
        while case .key(let name) = try next() {
            if name.says("t", in: buffer) {
                kind = try string()
            } else if name.says("d", in: buffer) {
                try readData()
            } else {
                _ = try reader.skipValue(in: buffer)
            }
        }
        // The end of the object, and of the text.
        _ = try next()
    }

    /// The text of the value of a member of the body.
    func value(_ name: StaticString) -> UnsafeRawBufferPointer? {
        body.last { $0.name.says(name, in: buffer) }.map {
            UnsafeRawBufferPointer(rebasing: buffer[$0.value])
        }
    }

    private mutating func next() throws(JSONError) -> JSONToken {
        try reader.next(in: buffer, isFinal: true)
    }

    /// The next value if it is a string, nil if it is something else.
    private mutating func string() throws(JSONError) -> String? {
        let range = try reader.skipValue(in: buffer)
        return UnsafeRawBufferPointer(rebasing: buffer[range]).jsonString
    }

    private mutating func readData() throws(JSONError) {
        guard try beginsObject() else { return }
        while case .key(let name) = try next() {
            if name.says("r", in: buffer) {
                number =
                    UnsafeRawBufferPointer(rebasing: buffer[try reader.skipValue(in: buffer)]).jsonInteger
            } else if name.says("a", in: buffer) {
                action = try string()
            } else if name.says("t", in: buffer) {
                command = try string()
            } else if name.says("b", in: buffer) {
                try readBody()
            } else {
                _ = try reader.skipValue(in: buffer)
            }
        }
    }

    private mutating func readBody() throws(JSONError) {
        body = []
        guard try beginsObject() else { return }
        while case .key(let name) = try next() {
            body.append((name, try reader.skipValue(in: buffer)))
        }
    }

    /// Enters the next value if it is an object, passes over it otherwise.
    private mutating func beginsObject() throws(JSONError) -> Bool {
        let outer = reader.depth
        if try next() == .beginObject { return true }
        while reader.depth > outer { _ = try next() }
        return false
    }
}

extension UnsafeRawBufferPointer {
    /// What a JSON text says if it is a string.
    var jsonString: String? {
        guard case .string(let text) = onlyToken else { return nil }
        return text.string(in: self)
    }

    /// What a JSON text says if it is an integer.
    var jsonInteger: Int64? {
        guard case .integer(let value) = onlyToken else { return nil }
        return value
    }

    /// What a JSON text says if it is a truth value.
    var jsonBool: Bool? {
        guard case .bool(let value) = onlyToken else { return nil }
        return value
    }

    private var onlyToken: JSONToken? {
        var reader = JSONReader()
        // The text was read before as part of a larger one, so it is without fault.
        return try? reader.next(in: self, isFinal: true)
    }
}
