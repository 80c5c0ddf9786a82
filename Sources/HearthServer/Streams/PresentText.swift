// A present state that is too large to be written at once, told as events.
import HearthCore
import HearthSync
import HearthWire
import Synchronization

/// Text that is written piece by piece, each piece when it is asked for.
protocol PieceText: Sendable {
    /// The next piece; nil at the end.
    mutating func next() -> [UInt8]?
}

/// The present children of a view as events, some 64 KB at a time.
struct PresentText: PieceText {
    /// What is around the events.
    enum Envelope {
        /// The answer to a poll.
        case poll(isResync: Bool)
        /// A stream of child events.
        case stream
    }

    private static let pieceByteCount = 64 << 10

    private let envelope: Envelope
    private let kinds: EventKinds
    private let telling: Telling
    private let state: State
    private let revision: Revision
    private var children: PresentChildren?
    /// The child that comes next, which the one before must know to be told as the last.
    private var upcoming: ChildEvent?
    private var isStarted = false
    private var isFinished = false
    /// How many children have been told.
    private var count = 0

    /// - Parameter known: how far the same stream came before: the children that it was told are left out.
    /// - Throws: when more children would have to be sorted than the engine sorts.
    init(
        _ envelope: Envelope, _ kinds: EventKinds, _ telling: Telling, _ state: State,
        after known: Cursor? = nil
    ) throws(Refusal) {
        self.envelope = envelope
        self.kinds = kinds
        self.telling = telling
        self.state = state
        revision = known?.revision ?? state.revision
        guard kinds.contains(.childAdded) else { return }
        children = try telling.view.present(in: state)
        upcoming = children?.next()
        guard case .children(let told) = known?.part else { return }
        while count < told, upcoming != nil {
            upcoming = children?.next()
            count += 1
        }
    }

    mutating func next() -> [UInt8]? {
        guard !isFinished else { return nil }
        var text: [UInt8] = []
        if !isStarted {
            isStarted = true
            if case .poll(let isResync) = envelope {
                LongPollText.appendStart(
                    cursor: telling.cursor(revision), isResync: isResync, to: &text)
            }
        }
        while text.count < PresentText.pieceByteCount {
            guard let event = upcoming else {
                finish(&text)
                break
            }
            upcoming = children?.next()
            append(event, to: &text)
        }
        return text
    }

    private mutating func append(_ event: ChildEvent, to text: inout [UInt8]) {
        count += 1
        if case .stream = envelope {
            let isLast = upcoming == nil && !kinds.contains(.value)
            let part: Cursor.Part = isLast ? .all : .children(count)
            let cursor = Cursor(epoch: telling.epoch, revision: revision, part: part)
            return telling.appendStreamed(event, cursor, to: &text)
        }
        let cursor = telling.cursor(revision)
        if count > 1 { text.append(LongPollText.separator) }
        let json = NodeSerializer.bytes(of: event.data, telling.format)
        json.withUnsafeBytes { bytes in
            EventText.append(
                event.kind.wireKind, of: event.key, after: event.previous, json: bytes, cursor: cursor,
                to: &text)
        }
    }

    private mutating func finish(_ text: inout [UInt8]) {
        isFinished = true
        if kinds.contains(.value) { appendValue(to: &text) }
        if case .poll = envelope { LongPollText.appendEnd(to: &text) }
    }

    private func appendValue(to text: inout [UInt8]) {
        let cursor = telling.cursor(revision)
        do throws(Refusal) {
            if case .stream = envelope {
                return try telling.appendStreamedValue(state, cursor, to: &text)
            }
            if count > 0 { text.append(LongPollText.separator) }
            let json = NodeSerializer.bytes(of: try telling.view.excerpt(in: state), telling.topFormat)
            json.withUnsafeBytes { EventText.appendValue(json: $0, cursor: cursor, to: &text) }
        } catch {
            // The same window was found when the children were asked for, or it is just as large.
            preconditionFailure("a window that could be begun can be told")
        }
    }
}

/// The first `put` of a stream: a whole value, however large.
struct PutText: PieceText {
    private static let mark: UInt8 = 0x00

    private var head: [UInt8]?
    private var serializer: NodeSerializer
    private var isFinished = false
    private let end: [UInt8]

    /// - Parameter cursor: the `id` of the event.
    init(_ value: Excerpt, _ format: NodeSerializer.Format, _ cursor: Cursor) {
        serializer = NodeSerializer(value, format)
        // The envelope is made around a mark, which then gives way to the value.
        var envelope: [UInt8] = []
        [PutText.mark].withUnsafeBytes {
            SSEText.append(.put, at: .root, json: $0, cursor: cursor, to: &envelope)
        }
        let place = envelope.firstIndex(of: PutText.mark) ?? envelope.endIndex
        head = Array(envelope[..<place])
        end = Array(envelope[place...].dropFirst())
    }

    mutating func next() -> [UInt8]? {
        guard !isFinished else { return nil }
        var text = head ?? []
        head = nil
        if serializer.write(into: &text, byteLimit: 64 << 10) {
            isFinished = true
            text += end
        }
        return text
    }
}

/// Sends text as fast as a client takes it.
final class PieceSource<Text: PieceText>: ReplySource {
    private struct Progress {
        var text: Text?
        var isFinished = false
    }

    private let progress: Mutex<Progress>
    private let isChunked: Bool
    private let workers: Workers
    let prefersWorker: Bool

    init(_ text: Text, isChunked: Bool, prefersWorker: Bool, workers: Workers) {
        progress = Mutex(Progress(text: text))
        self.isChunked = isChunked
        self.workers = workers
        self.prefersWorker = prefersWorker
    }

    deinit {
        // What the client did not take may be the last reference to an old state.
        let rest = progress.withLock { $0.text }
        if let rest { workers.run { withExtendedLifetime(rest) {} } }
    }

    func next() -> ReplyPiece {
        progress.withLock { progress in
            guard !progress.isFinished else { return .end }
            guard let piece = progress.text?.next() else {
                progress.isFinished = true
                return isChunked ? .bytes(HTTPResponseWriter.lastChunkBytes) : .end
            }
            guard isChunked else { return .bytes(piece) }
            var output: [UInt8] = []
            output.reserveCapacity(piece.count + 16)
            HTTPResponseWriter.appendChunk(piece, to: &output)
            return .bytes(output)
        }
    }
}
