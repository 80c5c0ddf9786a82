// A commit with the states around it, live or replayed, and how it is told.
import HearthCore
import HearthEngine
import HearthJSON
import HearthSync
import HearthWire

/// A commit with the states around it.
struct Step: Sendable {
    let commit: Commit
    let before: State
    let after: State

    init(_ publication: Publication) {
        commit = publication.commit
        before = publication.before
        after = publication.after
    }

    init(_ step: Replay.Step) {
        commit = step.commit
        before = step.before
        after = step.after
    }
}

/// Tells steps of one view: pure, the same for live commits and replayed ones, and the same bytes for all who
/// listen in the same form.
struct Telling: Sendable {
    let view: View
    let epoch: String
    /// How values are written.
    let format: NodeSerializer.Format

    /// Child events as JSON objects with commas between.
    struct Events: Sendable {
        var text: [UInt8] = []
        var count = 0
        /// The last revision that was told or passed over.
        var revision: Revision
    }

    /// The child events of `steps`, up to the end of the step in which `limit` of them are reached.
    ///
    /// Where `value` is asked for it is told once, as it is in the end.
    func events(
        of steps: some Sequence<Step>, _ kinds: EventKinds, limit: Int, from revision: Revision
    ) throws(Refusal) -> Events {
        var events = Events(revision: revision)
        var changed: Step?
        for step in steps {
            let told = try view.events(of: step.commit, before: step.before, after: step.after)
            for event in told.children where kinds.contains(event.kind.wireKind) {
                append(event, step.commit.revision, to: &events)
            }
            if told.isValueChanged, kinds.contains(.value) { changed = step }
            events.revision = step.commit.revision
            if events.count + (changed == nil ? 0 : 1) >= limit { break }
        }
        if let changed { try appendValue(changed.after, changed.commit.revision, to: &events) }
        return events
    }

    /// The events that tell the present state.
    func present(_ state: State, _ kinds: EventKinds) throws(Refusal) -> Events {
        var events = Events(revision: state.revision)
        if kinds.contains(.childAdded) {
            for event in try view.present(in: state) { append(event, state.revision, to: &events) }
        }
        if kinds.contains(.value) { try appendValue(state, state.revision, to: &events) }
        return events
    }

    /// `put` and `patch` events as they go over the wire.
    func changes(of steps: some Sequence<Step>) throws(Refusal) -> [UInt8] {
        var text: [UInt8] = []
        for step in steps {
            guard let change = try view.change(by: step.commit, before: step.before, after: step.after) else {
                continue
            }
            append(change, step, to: &text)
        }
        return text
    }

    /// Child events as they go over the wire of a stream.
    ///
    /// - Parameter known: how far the stream came before: it may have been told a part of the first step.
    func childEvents(
        of steps: some Sequence<Step>, _ kinds: EventKinds, after known: Cursor? = nil
    ) throws(Refusal) -> [UInt8] {
        var text: [UInt8] = []
        for step in steps {
            let told = try view.events(of: step.commit, before: step.before, after: step.after)
            let events = told.children.filter { kinds.contains($0.kind.wireKind) }
            let revision = step.commit.revision
            let hasValue = told.isValueChanged && kinds.contains(.value)
            let count = events.count + (hasValue ? 1 : 0)
            for (index, event) in events.enumerated().dropFirst(known?.toldEventCount(of: revision) ?? 0) {
                let part: Cursor.Part = index + 1 < count ? .events(index + 1) : .all
                appendStreamed(event, Cursor(epoch: epoch, revision: revision, part: part), to: &text)
            }
            if hasValue { try appendStreamedValue(step.after, cursor(revision), to: &text) }
        }
        return text
    }

    /// What was missed, as it goes over the wire of a stream.
    func stream(_ replay: Replay, _ kinds: EventKinds?, after known: Cursor?) throws(Refusal) -> [UInt8] {
        let steps = replay.steps().lazy.map { Step($0) }
        guard let kinds else { return try changes(of: steps) }
        return try childEvents(of: steps, kinds, after: known)
    }

    func cursor(_ revision: Revision) -> Cursor {
        Cursor(epoch: epoch, revision: revision)
    }

    /// Appends one event of a stream. Its `id` is the whole of `cursor`, its data name the revision alone.
    func appendStreamed(_ event: ChildEvent, _ cursor: Cursor, to text: inout [UInt8]) {
        var object: [UInt8] = []
        append(event, self.cursor(cursor.revision), to: &object)
        object.withUnsafeBytes { SSEText.append(event.kind.wireKind, object: $0, cursor: cursor, to: &text) }
    }

    /// Appends the whole value as an event of a stream.
    func appendStreamedValue(_ state: State, _ cursor: Cursor, to text: inout [UInt8]) throws(Refusal) {
        let json = NodeSerializer.bytes(of: try view.excerpt(in: state), topFormat)
        var object: [UInt8] = []
        json.withUnsafeBytes { EventText.appendValue(json: $0, cursor: cursor, to: &object) }
        object.withUnsafeBytes { SSEText.append(.value, object: $0, cursor: cursor, to: &text) }
    }

    /// How the value of the view itself is written: the result of a query is never an array.
    var topFormat: NodeSerializer.Format {
        var format = format
        if !view.query.isUnfiltered, format.arrays == .everywhere { format.arrays = .belowTop }
        return format
    }

    private func append(_ event: ChildEvent, _ revision: Revision, to events: inout Events) {
        if events.count > 0 { events.text.append(LongPollText.separator) }
        append(event, cursor(revision), to: &events.text)
        events.count += 1
    }

    private func append(_ event: ChildEvent, _ cursor: Cursor, to text: inout [UInt8]) {
        let json = NodeSerializer.bytes(of: event.data, format)
        json.withUnsafeBytes { bytes in
            EventText.append(
                event.kind.wireKind, of: event.key, after: event.previous, json: bytes, cursor: cursor,
                to: &text)
        }
    }

    private func appendValue(
        _ state: State, _ revision: Revision, to events: inout Events
    ) throws(Refusal) {
        let json = NodeSerializer.bytes(of: try view.excerpt(in: state), topFormat)
        if events.count > 0 { events.text.append(LongPollText.separator) }
        json.withUnsafeBytes { EventText.appendValue(json: $0, cursor: cursor(revision), to: &events.text) }
        events.count += 1
    }

    private func append(_ change: ValueChange, _ step: Step, to text: inout [UInt8]) {
        let cursor = cursor(step.commit.revision)
        switch change {
        case .put(let path, let node):
            let json = NodeSerializer.bytes(of: node, path.isRoot ? topFormat : format)
            json.withUnsafeBytes { SSEText.append(.put, at: path, json: $0, cursor: cursor, to: &text) }
        case .patch(let path, let members):
            let json = patch(members)
            json.withUnsafeBytes { SSEText.append(.patch, at: path, json: $0, cursor: cursor, to: &text) }
        case .prioritize(let path, _):
            // Priorities are shown by `format=export` alone; there the place is told anew.
            guard format.showsPriorities else { return }
            let node = step.after.root.descendant(at: view.path.appending(path))
            let json = NodeSerializer.bytes(of: node, format)
            json.withUnsafeBytes { SSEText.append(.put, at: path, json: $0, cursor: cursor, to: &text) }
        }
    }

    private func patch(_ members: [ValueChange.Member]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in members {
            writer.key(member.path.keys.map(\.text).joined(separator: "/"))
            let json = NodeSerializer.bytes(of: member.node, format)
            json.withUnsafeBytes { writer.value(text: $0) }
        }
        writer.endObject()
        return writer.take()
    }
}

extension Cursor {
    /// How many events of a commit have been told to who holds this cursor, if the commit is the next one.
    fileprivate func toldEventCount(of revision: Revision) -> Int {
        guard case .events(let count) = part, revision == self.revision else { return 0 }
        return count
    }
}

extension ChildEvent.Kind {
    /// The kind as clients name it.
    var wireKind: EventKind {
        switch self {
        case .removed: .childRemoved
        case .added: .childAdded
        case .moved: .childMoved
        case .changed: .childChanged
        }
    }
}

extension DataRequest {
    /// How it is told: events are always compact, and never shallow.
    var telling: Telling {
        var format = NodeSerializer.Format.plain
        if call.form.isExport { format = .export }
        return Telling(view: view, epoch: namespace.epoch, format: format)
    }
}
