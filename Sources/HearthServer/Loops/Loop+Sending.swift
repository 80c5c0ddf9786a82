// The end of a turn: what may leave is sent, once for each connection, and its next deadline is set.
import HearthWire

extension Loop {
    /// How many connections are looked after before the poller is asked again.
    private static let settleLimit = 256

    /// How many connections of a turn may be looked after at once.
    private static let promptLimit = 1_024

    /// Looks after a connection that was told something, at once: all that belongs to it is at hand now, and
    /// would have to be fetched again when so many others have been told. Before the turn ends if there are
    /// many, or if more could come of it than that something is sent.
    func settleSoon(_ connection: Connection) {
        guard !connection.isDirty, connection.input.isEmpty, !isStopping, promptCount < Loop.promptLimit
        else { return markDirty(connection) }
        promptCount += 1
        settle(connection)
    }

    /// Looks after every connection that something happened to.
    func settleDirty() {
        swap(&dirty, &settling)
        if settling.count > Loop.settleLimit {
            dirty += settling[Loop.settleLimit...]
            settling.removeLast(settling.count - Loop.settleLimit)
        }
        for connection in settling {
            connection.isDirty = false
            settle(connection)
        }
        settling.removeAll(keepingCapacity: true)
    }

    private func settle(_ connection: Connection) {
        guard self.connection(connection.token) != nil else { return }
        pump(connection)
        guard send(connection) else { return close(connection) }
        if isDone(connection) { return close(connection) }
        if connection.outbox.byteCount == 0, mustEndSending(connection) {
            endSending(connection)
        }
        updateWatch(connection)
        updateDeadline(connection)
        if canGoOn(connection) { markDirty(connection) }
    }

    /// Whether sending has made room for something that waits here, of which no event will tell.
    private func canGoOn(_ connection: Connection) -> Bool {
        if connection.outbox.slotCount > 0, case .source = connection.outbox.first, !connection.awaitsPiece,
            connection.outbox.byteCount < Loop.lowWater
        {
            return true
        }
        guard !connection.input.isEmpty, mayAct(connection) else { return false }
        switch connection.incoming {
        case .webSocket: return true
        case .head: break
        case .body, .blocked, .discarded: return false
        }
        // Half a request waits for its rest.
        return !connection.isStarved
    }

    /// Moves durable replies on, and asks the source of a large one for more when little is left to send.
    private func pump(_ connection: Connection) {
        while connection.outbox.slotCount > 0 {
            connection.outbox.release(durable: durable)
            releaseDelayed(connection)
            guard case .source(let source) = connection.outbox.first, !connection.awaitsPiece,
                connection.outbox.byteCount < Loop.lowWater
            else { break }
            if source.prefersWorker {
                askWorker(for: source, connection)
                break
            }
            guard append(source.next(), to: connection) else { continue }
            // One piece a turn: others are served in between.
            markDirty(connection)
            break
        }
        resumeReading(connection)
    }

    /// - Returns: whether the source has more.
    private func append(_ piece: ReplyPiece, to connection: Connection) -> Bool {
        switch piece {
        case .bytes(let bytes):
            connection.outbox.append(shared: bytes)
            return true
        case .end: connection.outbox.finishFirst()
        case .failure: close(connection)
        }
        return false
    }

    private func askWorker(for source: any ReplySource, _ connection: Connection) {
        connection.awaitsPiece = true
        let mailbox = mailbox
        let token = connection.token
        let workers = source.readsFiles ? services.fileWorkers : services.workers
        workers.run {
            let piece = source.next()
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.awaitsPiece = false
                    _ = loop.append(piece, to: connection)
                })
        }
    }

    /// - Returns: false when the connection is gone.
    private func send(_ connection: Connection) -> Bool {
        if let channel = connection.secure { return send(connection, through: channel) }
        guard let result = connection.outbox.send(to: connection.token.descriptor, by: poller) else {
            return true
        }
        switch result {
        case .bytes:
            noteProgress(connection)
            return true
        case .wouldBlock: return true
        case .ended, .failed: return false
        }
    }

    /// A slow client that takes something gets its whole patience again.
    func noteProgress(_ connection: Connection) {
        connection.waiting = .ourselves
    }

    /// Ends our direction, once the client can have got everything.
    private func endSending(_ connection: Connection) {
        if let channel = connection.secure, !hasSaidEnd(connection, through: channel) { return }
        poller.endSending(connection.token.descriptor)
        connection.hasEndedSending = true
    }

    /// Whether nothing more can come of a connection.
    private func isDone(_ connection: Connection) -> Bool {
        guard connection.outbox.isEmpty else { return false }
        if connection.hasEnded {
            guard case .blocked = connection.incoming else { return true }
        }
        return isStopping && (connection.isIdle || connection.hasEndedSending)
    }

    /// Whether the last reply is out and the client should see the end.
    private func mustEndSending(_ connection: Connection) -> Bool {
        guard case .discarded = connection.incoming, !connection.hasEndedSending else { return false }
        return connection.outbox.slotCount == 0
    }

    private func updateWatch(_ connection: Connection) {
        let hasPending = connection.outbox.byteCount > 0 || connection.secure?.pendingCount ?? 0 > 0
        let watch = (reading: wantsToRead(connection), writing: hasPending)
        guard watch != connection.watch else { return }
        connection.watch = watch
        poller.watch(connection.token, reading: watch.reading, writing: watch.writing)
    }

    private func wantsToRead(_ connection: Connection) -> Bool {
        guard !connection.hasEnded else { return false }
        switch connection.incoming {
        case .head:
            return connection.outbox.slotCount < services.configuration.limits.pipelinedRequests
                && connection.outbox.byteCount < 1 << 20 && connection.input.count < 1 << 20
        case .body(let upload): return upload.wantsMore
        case .webSocket: return connection.input.count < 64 << 10 && mayAct(connection)
        case .blocked: return connection.input.count < 64 << 10
        case .discarded: return true
        }
    }
}
