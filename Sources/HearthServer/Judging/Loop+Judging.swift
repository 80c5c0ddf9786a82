// Who may read: asked once for each request, and again for a stream whenever the answer may have changed.
import HearthCore
import HearthEngine
import HearthRules
import HearthStorage
import HearthWire

extension Loop {
    /// Whether a request may read what it asks for; if not, it is answered here.
    func mayRead(_ request: DataRequest, _ sight: Sight, on connection: Connection) -> Bool {
        if request.asker.mayDoEverything(under: sight.rules) { return true }
        var judgement = request.reading
        do throws(Refusal) {
            try request.namespace.judge(&judgement, sight, now: services.clock.milliseconds)
            return true
        } catch {
            deny(request, judgement.explanation, until: sight.position, on: connection)
            return false
        }
    }

    /// Answers a request that the rules refuse, once what they saw is durable.
    func deny(
        _ request: DataRequest, _ explanation: Explanation?, until position: Position,
        on connection: Connection
    ) {
        let error = RESTError.permissionDenied(explanation)
        respond(connection, until: position) { request.reply.append(error, to: &$0) }
    }

    /// A commit has changed rules, or data on which permissions depend: whose permission it ended is told so
    /// as soon as the commit is durable, and nothing else any more.
    ///
    /// A stream is judged for this very state, so that nothing is told of a time when it was not allowed,
    /// and for the newest one under the lock, so that no later change is missed.
    func judgeAgain(after publication: Publication, in namespace: Int) {
        #if DEBUG
            if PlantedFault.isPlanted(.tellsDenied) { return }
        #endif
        for subscriber in judged.shaken(by: publication, in: namespace) {
            guard publication.commit.revision > subscriber.firstRevision else { continue }
            if let poll = subscriber as? Subscriber, poll.isParked {
                // The poll that comes is judged anew.
                forgetParked(poll)
                continue
            }
            var judgement = subscriber.judgement
            do throws(Refusal) {
                try judgement.judge(
                    publication.after, under: publication.rules, now: services.clock.milliseconds,
                    keepsReads: true)
            } catch {
                dismiss(subscriber, .denied, until: publication.position)
                continue
            }
            guard publication.commit.revision > subscriber.judgement.revision else { continue }
            _ = judgeNewest(subscriber)
        }
    }

    /// Whether a subscriber may still be told anything; if not, it is dismissed.
    func mayBeTold(_ subscriber: Subscriber) -> Bool {
        if let end = subscriber.refusedFrom, services.clock.milliseconds >= end {
            dismiss(subscriber, .expired, until: 0)
            return false
        }
        return !subscriber.judgement.reads.usesNow || judgeNewest(subscriber)
    }

    /// Judges a follower for the newest state; if it may not read it is dismissed.
    func judgeNewest(_ subscriber: Follower) -> Bool {
        judged.remove(subscriber)
        let denied = subscriber.feed.namespace.judgeAgain(
            &subscriber.judgement, on: index, now: services.clock.milliseconds)
        judged.add(subscriber)
        if let denied { dismiss(subscriber, .denied, until: denied) }
        return denied == nil
    }

    private func dismiss(_ follower: Follower, _ reason: Dismissal, until position: Position) {
        if let listen = follower as? Listen { return revoke(listen, until: position) }
        if let subscriber = follower as? Subscriber { dismiss(subscriber, reason, until: position) }
    }

    /// Ends a poll or a stream that may be told nothing more.
    func dismiss(_ subscriber: Subscriber, _ reason: Dismissal, until position: Position) {
        // The poll that comes is asked again who it is.
        if subscriber.isParked { return forgetParked(subscriber) }
        if case .poll = subscriber.kind { return end(subscriber, reason.error, until: position) }
        guard let connection = connection(subscriber.token) else { return }
        endStream(subscriber, connection, reason.event, until: position)
    }

    /// When to look whether the token of a subscriber is still good, in monotonic nanoseconds.
    func revocationDeadline(of subscriber: Subscriber) -> Int64 {
        moment(ofClock: subscriber.refusedFrom)
    }

    /// When the clock will show a time in ms since 1970, in monotonic nanoseconds; never for nil.
    func moment(ofClock time: Int64?) -> Int64 {
        guard let end = time else { return .max }
        let (nanoseconds, isFar) = max(0, end - services.clock.milliseconds)
            .multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
        return isFar || overflow ? .max : sum
    }
}

/// Why a stream ends before its time.
enum Dismissal {
    /// The rules no longer allow it.
    case denied
    /// Its token's time is over.
    case expired

    /// What a waiting poll is told.
    var error: RESTError { self == .denied ? .permissionDenied : .expiredToken }
    /// What a stream is told.
    var event: [UInt8] { self == .denied ? SSEText.cancel : SSEText.authRevoked }
}

extension RESTError {
    /// The refusal of the rules, explained if that was asked for by who may know.
    static func permissionDenied(_ explanation: Explanation?) -> RESTError {
        var error = RESTError.permissionDenied
        error.explanation = explanation.map { NodeSerializer.bytes(of: $0.node) }
        return error
    }
}
