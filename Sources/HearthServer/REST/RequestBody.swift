// The body of a write, read into what it writes.
import HearthCore
import HearthJSON
import HearthWire

/// What a body asks for. Reading is pure, so that a worker can do it.
enum RequestBody: Sendable {
    /// A value for one place.
    case value(Draft)
    /// Values for several places below one.
    case changes([(path: Path, draft: Draft)])
    /// A priority.
    case priority(Draft.Placeholder.Resolution)

    /// Reads the body of `call`, see `read(_:of:using:)`.
    static func read(_ bytes: [UInt8], of call: RESTCall) throws(RESTError) -> RequestBody {
        try bytes.withUnsafeBytes { attempt($0, of: call) }.get()
    }

    private static func attempt(
        _ bytes: UnsafeRawBufferPointer, of call: RESTCall
    ) -> Result<RequestBody, RESTError> {
        var memory = DraftMemory()
        do throws(RESTError) {
            return .success(try read(bytes, of: call, using: &memory))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the body of `call`.
    ///
    /// - Parameter memory: used again from one body to the next.
    /// - Throws: 400 with what is wrong and where.
    static func read(
        _ bytes: UnsafeRawBufferPointer, of call: RESTCall, using memory: inout DraftMemory
    ) throws(RESTError) -> RequestBody {
        if call.action == .remove {
            return call.location.isPriority ? .priority(.known(.none)) : .value(Draft(.empty))
        }
        guard !bytes.isEmpty else { throw .noData }
        if call.location.isPriority { return .priority(try priority(bytes, using: &memory)) }
        do throws(DraftError) {
            guard call.action == .update else {
                return .value(try DraftReader.draft(bytes, at: call.location.path, using: &memory))
            }
            return .changes(try UpdateReader.changes(bytes, at: call.location.path))
        } catch {
            throw call.action == .update ? .invalidUpdate("\(error)") : .invalidData("\(error)")
        }
    }

    /// A priority is a number, a string, null or a server value: what a leaf may be, but for booleans.
    private static func priority(
        _ bytes: UnsafeRawBufferPointer, using memory: inout DraftMemory
    ) throws(RESTError) -> Draft.Placeholder.Resolution {
        let draft: Draft
        do throws(DraftError) {
            draft = try DraftReader.draft(bytes, at: .root, using: &memory)
        } catch {
            throw .invalidData("\(error)")
        }
        guard let priority = draft.priority else { throw .invalidPriority }
        return priority
    }

    /// About how many bytes of JSON it writes.
    var weight: Int {
        switch self {
        case .value(let draft): draft.node.weight
        case .changes(let changes): changes.reduce(0) { $0 + $1.draft.node.weight }
        case .priority: 32
        }
    }

    /// Whether there may be more than before when it is done; false if it removes alone.
    var addsData: Bool {
        switch self {
        case .value(let draft): draft.addsData
        case .changes(let changes): changes.contains { $0.draft.addsData }
        case .priority(.known(.none)): false
        case .priority: true
        }
    }

    /// The value that can be kept in a file of its own, if there is one: nothing in it is left to the commit.
    var plainValue: Node? {
        guard case .value(let draft) = self, draft.placeholders.isEmpty else { return nil }
        return draft.node
    }
}

extension Draft {
    /// Whether it is anything but the absence of a value.
    var addsData: Bool { !node.isEmpty || !placeholders.isEmpty || solePriority != nil }
}
