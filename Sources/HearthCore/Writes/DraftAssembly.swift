// Tokens in, drafts out: the rules by which JSON becomes a value (wire-protocol.md §10.2, rest-api.md §3,
// §8, §9).
import HearthJSON

/// Builds what a body says from its tokens, in one pass, with a frame for each open object or array.
struct DraftAssembly: Sendable {
    /// What the body is.
    enum Form: Sendable {
        /// A value.
        case value
        /// An object whose keys are paths.
        case update
    }

    /// A place that is filled in later; the keys lead from the place up to the frame that holds it.
    struct Pending: Sendable {
        var keysUpwards: [Key] = []
        let target: Draft.Placeholder.Target
        let serverValue: ServerValue
    }

    /// A value that is complete.
    enum Finished: Sendable {
        case nothing
        case leaf(Leaf)
        case serverValue(ServerValue)
        case node(Node, [Pending])
    }

    /// An object or array that is open.
    struct Frame: Sendable {
        enum Kind: Sendable {
            case object
            case array
            /// The object whose keys are paths.
            case update
            /// An object that must hold `.sv`, since it stands where only leaves may.
            case serverValue
            /// The object that `.sv` holds.
            case operation
        }

        /// What the next value is for.
        enum Member: Sendable {
            case none
            case child(Key)
            case path(Path)
            /// The priority of a place that an update names.
            case pathPriority(Path)
            case value
            case priority
            case serverValue
            case increment
        }

        let kind: Kind
        var member = Member.none
        var elementCount = 0
        var hasChildren = false
        var builder = Node.Builder()
        var pending: [Key: [Pending]] = [:]
        /// What `.value` said; `nothing` for null.
        var value: Finished?
        var serverValue: ServerValue?
        var priority = Priority.none
        var pendingPriority: ServerValue?

        init(_ kind: Kind) {
            self.kind = kind
        }
    }

    /// How many levels are left below the written place.
    let levels: Int
    private let form: Form
    var frames: [Frame] = []
    /// The levels that the path of an update's current member takes beyond one.
    private var extraLevels = 0
    /// The value, when it is complete.
    private(set) var result: Finished?
    /// The members of an update so far.
    var changes = UpdateChanges()

    init(_ form: Form, levels: Int) {
        self.form = form
        self.levels = levels
    }

    /// Takes the token that `reader` has just read from `buffer`.
    mutating func take(
        _ token: JSONToken, from reader: borrowing JSONReader, in buffer: UnsafeRawBufferPointer
    ) throws(DraftError) {
        if case .array? = frames.last?.kind, token != .endArray {
            try checkLevels(frames.count, at: reader)
        }
        switch token {
        case .key(let text): try takeKey(text, from: reader, in: buffer)
        case .string(let text): try finish(.leaf(.string(text.string(in: buffer))), at: reader)
        case .integer(let value): try finish(.leaf(.integer(value)), at: reader)
        case .double(let value): try finish(.leaf(Leaf(number: value)), at: reader)
        case .bool(let value): try finish(.leaf(.bool(value)), at: reader)
        case .null: try finish(.nothing, at: reader)
        case .beginObject: try open(isObject: true, at: reader)
        case .beginArray: try open(isObject: false, at: reader)
        case .endObject, .endArray: try close(at: reader)
        case .needsMore, .end: break
        }
    }

    /// Whether nothing was taken yet.
    var isAtBeginning: Bool { frames.isEmpty && result == nil }

    /// Whether the next value may be taken by `take(record:)`.
    var takesRecords: Bool {
        guard let frame = frames.last else { return form == .value && result == nil }
        if case .object = frame.kind, case .child = frame.member { return true }
        return false
    }

    /// How many members the object that is open takes next as they stand, and the key that they must come
    /// after; nil if it takes none so.
    mutating func memberRoom() -> (room: MemberRoom, last: Key?)? {
        guard let top = frames.indices.last, levelsLeft >= 0, case .object = frames[top].kind,
            frames[top].value == nil, frames[top].serverValue == nil, frames[top].pending.isEmpty
        else { return nil }
        return frames[top].builder.memberRoom()
    }

    /// Takes members of the object that is open, for which there is room.
    mutating func take(
        _ run: MemberRun, _ text: UnsafeRawBufferPointer, _ marks: UnsafeBufferPointer<PackedChildren.Mark>
    ) {
        let top = frames.count - 1
        frames[top].hasChildren = true
        frames[top].builder.append(members: text, marks, last: run.lastKey, isFull: run.isFull)
    }

    /// How many levels the next value may have.
    var levelsLeft: Int { levels - frames.count - extraLevels }

    /// Takes the next value, an object, whose canonical text is `record`; `name` is how its key stands
    /// between quotes, nil if that has escapes or there is none.
    mutating func take(record: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?) {
        guard let top = frames.indices.last else {
            result = .node(Node(storage: .packed(PackedRecord([UInt8](record)))), [])
            return
        }
        frames[top].accept(record: record, named: name)
    }

    private mutating func takeKey(
        _ text: JSONText, from reader: borrowing JSONReader, in buffer: UnsafeRawBufferPointer
    ) throws(DraftError) {
        let member: Frame.Member
        switch frames[frames.count - 1].member(named: text, in: buffer) {
        case .success(let known): member = known
        case .failure(let error): throw .refused(error.reason, at: reader.lastTokenPlace)
        }
        switch member {
        case .child: try checkLevels(frames.count, at: reader)
        case .path(let path):
            try checkLevels(path.depth, at: reader)
            extraLevels = path.depth - 1
        case .pathPriority(let path): try checkLevels(path.depth, at: reader)
        case .none, .value, .priority, .serverValue, .increment: break
        }
        frames[frames.count - 1].member = member
    }

    private func checkLevels(_ depth: Int, at reader: borrowing JSONReader) throws(DraftError) {
        guard depth + extraLevels <= levels else { throw .refused(.tooDeep, at: reader.lastTokenPlace) }
    }

    private mutating func open(isObject: Bool, at reader: borrowing JSONReader) throws(DraftError) {
        guard let frame = frames.last else {
            guard form == .value || isObject else { throw .refused(.notAnObject, at: reader.lastTokenPlace) }
            frames.append(Frame(form == .update ? .update : isObject ? .object : .array))
            return
        }
        let kind: Frame.Kind
        switch frame.member {
        case .none, .child, .path: kind = isObject ? .object : .array
        case .value:
            guard isObject else { throw .refused(.invalidValue, at: reader.lastTokenPlace) }
            kind = .serverValue
        case .priority, .pathPriority:
            guard isObject else { throw .refused(.invalidPriority, at: reader.lastTokenPlace) }
            kind = .serverValue
        case .serverValue:
            guard isObject else { throw .refused(.unknownServerValue, at: reader.lastTokenPlace) }
            kind = .operation
        case .increment: throw .refused(.unknownServerValue, at: reader.lastTokenPlace)
        }
        frames.append(Frame(kind))
    }

    private mutating func close(at reader: borrowing JSONReader) throws(DraftError) {
        let frame = frames.removeLast()
        switch frame.kind {
        case .update: result = .nothing
        case .array, .object: try finish(frame.finishedNode(), at: reader)
        case .serverValue, .operation:
            guard let serverValue = frame.serverValue else {
                throw .refused(misplacedObject, at: reader.lastTokenPlace)
            }
            try finish(.serverValue(serverValue), at: reader)
        }
    }

    /// What is wrong with an object that should have held a server value.
    private var misplacedObject: DraftError.Reason {
        switch frames.last?.member {
        case .value: .invalidValue
        case .priority, .pathPriority: .invalidPriority
        default: .unknownServerValue
        }
    }

    /// Hands a complete value to the frame around it.
    private mutating func finish(
        _ value: consuming Finished, at reader: borrowing JSONReader
    ) throws(DraftError) {
        guard let frame = frames.indices.last else {
            guard form == .value else { throw .refused(.notAnObject, at: reader.lastTokenPlace) }
            result = value
            return
        }
        if case .path(let path) = frames[frame].member {
            changes.set(path, value)
            extraLevels = 0
            return
        }
        if case .pathPriority(let path) = frames[frame].member {
            guard let priority = value.draft.priority else {
                throw .refused(.invalidPriority, at: reader.lastTokenPlace)
            }
            return changes.prioritize(path, priority)
        }
        if let reason = frames[frame].accept(value) { throw .refused(reason, at: reader.lastTokenPlace) }
    }
}
