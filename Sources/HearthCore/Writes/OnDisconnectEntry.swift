// The on-disconnect writes of a session together with who asked for them, as they outlive a crash.
import HearthJSON

/// The on-disconnect writes of a session, and in whose name they are judged when they are run.
public struct OnDisconnectEntry: Sendable {
    /// Who asked for them, as far as is known.
    public var asker: Asker
    /// What is to be written.
    public var writes: OnDisconnectWrites

    /// Puts an entry together.
    public init(asker: Asker, writes: OnDisconnectWrites = OnDisconnectWrites()) {
        self.asker = asker
        self.writes = writes
    }

    /// The entry as the journal and checkpoints keep it:
    ///
    ///     {"as":"client","local":true,"auth":{"uid":"ann",…},
    ///      "set":{"/rooms/lobby/online/ann":null,…},"prioritize":{"/rooms/lobby":{".sv":"timestamp"},…}}
    ///
    /// An administrator is `"as":"administrator"`; whoever has not signed in has no `auth`.
    ///
    /// - Complexity: O(size).
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.asker(asker)
        let items = writes.items
        writer.key("set")
        writer.beginObject()
        for case .set(let path, let draft) in items {
            writer.key(path.description)
            writer.draft(draft)
        }
        writer.endObject()
        writer.key("prioritize")
        writer.beginObject()
        for case .prioritize(let path, let priority) in items {
            writer.key(path.description)
            writer.priority(priority)
        }
        writer.endObject()
        writer.endObject()
        return writer.take()
    }

    /// Reads an entry back; nil if the bytes are none, which means that another version wrote them or that
    /// they are damaged.
    public init?(encoded: [UInt8]) {
        guard let entry = encoded.withUnsafeBytes(OnDisconnectReading.read) else { return nil }
        self = entry
    }
}

extension JSONWriter {
    fileprivate mutating func asker(_ asker: Asker) {
        key("as")
        switch asker {
        case .administrator: string("administrator")
        case .client(let auth, let isLocal):
            string("client")
            key("local")
            bool(isLocal)
            guard let auth else { return }
            key("auth")
            claims(auth.variable)
        }
    }

    /// Writes claims; names in the order of their UTF-8, so that equal claims have equal texts.
    fileprivate mutating func claims(_ claims: Claims) {
        switch claims {
        case .null: null()
        case .leaf(let leaf): draft(Draft(Node(leaf)))
        case .list(let elements):
            beginArray()
            for element in elements { self.claims(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                key(name)
                self.claims(value)
            }
            endObject()
        }
    }
}

/// The members of an encoded entry while they are read.
private struct OnDisconnectReading {
    private let text: UnsafeRawBufferPointer
    private var reader = JSONReader()
    private var kind: String?
    private var isLocal = false
    private var auth: Claims = .null
    private var writes = OnDisconnectWrites()

    static func read(_ text: UnsafeRawBufferPointer) -> OnDisconnectEntry? {
        var reading = OnDisconnectReading(text: text)
        do throws(JSONError) {
            return try reading.readAll() ? reading.entry : nil
        } catch {
            return nil
        }
    }

    private init(text: UnsafeRawBufferPointer) {
        self.text = text
    }

    private var entry: OnDisconnectEntry? {
        switch (kind, auth) {
        case ("administrator", _): OnDisconnectEntry(asker: .administrator, writes: writes)
        case ("client", .null): OnDisconnectEntry(asker: .client(nil, isLocal: isLocal), writes: writes)
        case ("client", .object(let members)):
            OnDisconnectEntry(asker: .client(Auth(variable: members), isLocal: isLocal), writes: writes)
        default: nil
        }
    }

    /// Returns whether everything could be understood.
    private mutating func readAll() throws(JSONError) -> Bool {
        guard try next() == .beginObject else { return false }
        while case .key(let name) = try next() {
            guard try readMember(name.string(in: text)) else { return false }
        }
        return try next() == .end
    }

    private mutating func readMember(_ name: String) throws(JSONError) -> Bool {
        switch name {
        case "as":
            guard case .string(let text) = try next() else { return false }
            kind = text.string(in: self.text)
            return true
        case "local":
            guard case .bool(let value) = try next() else { return false }
            isLocal = value
            return true
        case "auth":
            guard let claims = Claims(stored: text[try reader.skipValue(in: text)]) else { return false }
            auth = claims
            return true
        case "set", "prioritize": return try readWrites(arePriorities: name == "prioritize")
        default: return false
        }
    }

    private mutating func readWrites(arePriorities: Bool) throws(JSONError) -> Bool {
        guard try next() == .beginObject else { return false }
        while case .key(let place) = try next() {
            guard let path = Path(stored: place.string(in: text)),
                let draft = Draft(
                    stored: text[try reader.skipValue(in: text)], at: arePriorities ? .root : path)
            else { return false }
            if arePriorities {
                guard let priority = draft.priority else { return false }
                writes.add(.prioritize(path, priority))
            } else {
                writes.add(.set(path, draft))
            }
        }
        return true
    }

    private mutating func next() throws(JSONError) -> JSONToken {
        try reader.next(in: text, isFinal: true)
    }
}

extension Path {
    fileprivate init?(stored text: String) {
        do throws(KeyError) {
            self = try Path(text)
        } catch {
            return nil
        }
    }
}

extension Claims {
    fileprivate init?(stored text: Slice<UnsafeRawBufferPointer>) {
        do throws(ClaimsError) {
            self = try Claims(reading: Array(text))
        } catch {
            return nil
        }
    }
}

extension Draft {
    fileprivate init?(stored text: Slice<UnsafeRawBufferPointer>, at path: Path) {
        do throws(DraftError) {
            self = try DraftReader.draft(Array(text), at: path)
        } catch {
            return nil
        }
    }
}
