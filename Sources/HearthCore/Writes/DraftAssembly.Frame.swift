// What one object or array makes of its members.
import HearthJSON

extension DraftAssembly {
    /// A reason as an error, so that it can travel in a `Result`.
    struct Fault: Error {
        let reason: DraftError.Reason
    }
}

extension DraftAssembly.Frame {
    /// Tells what the next value is for.
    mutating func member(
        named text: JSONText, in buffer: UnsafeRawBufferPointer
    ) -> Result<Member, DraftAssembly.Fault> {
        switch kind {
        case .update: return path(named: text, in: buffer)
        case .operation:
            return text.says("increment", in: buffer) ? .success(.increment) : fault(.unknownServerValue)
        case .serverValue:
            return text.says(".sv", in: buffer) ? .success(.serverValue) : fault(.unknownServerValue)
        case .object, .array: break
        }
        let raw = text.raw(in: buffer)
        let first = raw.first
        if first == UInt8(ascii: ".") || (first == UInt8(ascii: "\\") && text.hasEscapes) {
            if let special = dottedMember(named: text, in: buffer) { return special }
        }
        guard value == nil else { return fault(.valueBesideOthers) }
        guard serverValue == nil else { return fault(.serverValueBesideOthers) }
        hasChildren = true
        guard text.hasEscapes else { return Self.child(raw) }
        var bytes: [UInt8] = []
        text.append(to: &bytes, in: buffer)
        return bytes.withUnsafeBytes { Self.child($0) }
    }

    private static func child(_ bytes: UnsafeRawBufferPointer) -> Result<Member, DraftAssembly.Fault> {
        do throws(KeyError) {
            return .success(.child(try Key(utf8: bytes)))
        } catch {
            return .failure(DraftAssembly.Fault(reason: .invalidKey(error)))
        }
    }

    /// The members that are no children; nil for any other name.
    private func dottedMember(
        named text: JSONText, in buffer: UnsafeRawBufferPointer
    ) -> Result<Member, DraftAssembly.Fault>? {
        if text.says(".priority", in: buffer) { return .success(.priority) }
        if text.says(".value", in: buffer) {
            return hasChildren || serverValue != nil ? fault(.valueBesideOthers) : .success(.value)
        }
        if text.says(".sv", in: buffer) {
            return hasChildren || value != nil ? fault(.serverValueBesideOthers) : .success(.serverValue)
        }
        return nil
    }

    private func path(
        named text: JSONText, in buffer: UnsafeRawBufferPointer
    ) -> Result<Member, DraftAssembly.Fault> {
        var parts = text.string(in: buffer).utf8.split(separator: UInt8(ascii: "/"))
        let isPriority = parts.last.map { $0.elementsEqual(".priority".utf8) } ?? false
        if isPriority { parts.removeLast() }
        do throws(KeyError) {
            var keys: [Key] = []
            for part in parts { keys.append(try Key(String(part) ?? "")) }
            if isPriority { return .success(.pathPriority(Path(keys))) }
            return keys.isEmpty ? fault(.emptyPath) : .success(.path(Path(keys)))
        } catch {
            return fault(.invalidKey(error))
        }
    }

    private func fault(_ reason: DraftError.Reason) -> Result<Member, DraftAssembly.Fault> {
        .failure(DraftAssembly.Fault(reason: reason))
    }
}

extension DraftAssembly.Frame {
    /// Takes the value of the current member; returns what is wrong with it.
    mutating func accept(_ finished: consuming DraftAssembly.Finished) -> DraftError.Reason? {
        switch member {
        case .none:
            let index = elementCount
            elementCount += 1
            if case .nothing = finished { return nil }
            guard index <= Int(Int32.max) else { return .tooManyElements }
            insert(finished, for: Key(index: index))
        case .child(let key): insert(finished, for: key)
        case .value: value = finished
        case .priority: return acceptPriority(finished)
        case .serverValue: return acceptServerValue(finished)
        case .increment:
            guard case .leaf(let leaf) = finished, leaf.number != nil else { return .unknownServerValue }
            serverValue = .increment(leaf)
        case .path, .pathPriority: preconditionFailure("members of an update are kept by the assembly")
        }
        return nil
    }

    /// Takes the value of the current member, a child, from its canonical text.
    mutating func accept(record: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer?) {
        guard case .child(let key) = member else { preconditionFailure("only children are taken as text") }
        if let name {
            builder.insert(text: record, for: key, named: name)
        } else {
            key.withEscapedUTF8 { builder.insert(text: record, for: key, named: $0) }
        }
        // An equal key before this one may have had some.
        if !pending.isEmpty { pending[key] = nil }
    }

    private mutating func insert(_ finished: consuming DraftAssembly.Finished, for key: Key) {
        let made = finished.node(priority: .none)
        builder.insert(made.node, for: key)
        if !made.pending.isEmpty {
            pending[key] = made.pending
        } else if !pending.isEmpty {
            // An equal key before this one may have had some.
            pending[key] = nil
        }
    }

    private mutating func acceptPriority(_ finished: DraftAssembly.Finished) -> DraftError.Reason? {
        pendingPriority = nil
        priority = .none
        switch finished {
        case .nothing: break
        case .leaf(.string(let text)): priority = .string(text)
        case .leaf(let leaf):
            guard let number = leaf.number else { return .invalidPriority }
            priority = .number(number)
        case .serverValue(let serverValue): pendingPriority = serverValue
        case .node: return .invalidPriority
        }
        return nil
    }

    private mutating func acceptServerValue(_ finished: DraftAssembly.Finished) -> DraftError.Reason? {
        switch finished {
        case .leaf(.string("timestamp")): serverValue = .timestamp
        case .serverValue(let operation): serverValue = operation
        case .nothing, .leaf, .node: return .unknownServerValue
        }
        return nil
    }

    /// What the object or array says, when it is closed.
    func finishedNode() -> DraftAssembly.Finished {
        var made: (node: Node, pending: [DraftAssembly.Pending])
        if let serverValue {
            made = DraftAssembly.Finished.serverValue(serverValue).node(priority: priority)
        } else if let value {
            made = value.node(priority: priority)
        } else {
            made = (builder.finish(priority: priority), lifted())
        }
        guard !made.node.isEmpty else { return .nothing }
        if let pendingPriority {
            made.pending.append(.init(target: .priority, serverValue: pendingPriority))
        }
        return .node(made.node, made.pending)
    }

    /// What is pending below, read from here.
    private func lifted() -> [DraftAssembly.Pending] {
        guard !pending.isEmpty else { return [] }
        var all: [DraftAssembly.Pending] = []
        for (key, below) in pending.sorted(by: { $0.key < $1.key }) {
            for var place in below {
                place.keysUpwards.append(key)
                all.append(place)
            }
        }
        return all
    }
}

extension DraftAssembly.Finished {
    /// The value as a node, and what is pending in it.
    func node(priority: Priority) -> (node: Node, pending: [DraftAssembly.Pending]) {
        switch self {
        case .nothing: (.empty, [])
        case .leaf(let leaf): (Node(leaf, priority: priority), [])
        case .serverValue(let serverValue):
            (
                Node(Draft.standIn, priority: priority),
                [.init(target: .value(priority: priority), serverValue: serverValue)]
            )
        case .node(let node, let pending): (node, pending)
        }
    }

    /// The value as a draft.
    var draft: Draft {
        let made = node(priority: .none)
        let placeholders = made.pending.map { place in
            Draft.Placeholder(
                path: Path(place.keysUpwards.reversed()), target: place.target,
                serverValue: place.serverValue)
        }
        return Draft(made.node, placeholders: placeholders)
    }
}
