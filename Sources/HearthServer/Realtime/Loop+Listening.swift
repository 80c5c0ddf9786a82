// Listens and gets: values once, and then what changes them.
import HearthCore
import HearthEngine
import HearthJSON
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Begins a listen: its value first unless the client has it, then the reply.
    func listen(to place: RealtimeQuestion, hash: String, for question: Question) throws(RealtimeRefusal) {
        guard case .node(let path) = place.place else {
            return replyListening(question, lacksIndex: false, until: 0)
        }
        let session = question.session
        let view = View(path: path, query: try place.parsedQuery())
        let namespace = try namespace(of: session, creates: false)
        let key = ListenKey(path: path, tag: place.tag)
        if let old = session.listens.removeValue(forKey: key) { stopFollowing(old) }
        var judgement = ReadJudgement(session.asker, path: path, query: place.query == nil ? nil : view.query)
        let entry: HearthEngine.Subscription
        do throws(EntryRefusal) {
            entry = try namespace.subscribe(
                to: view, on: index, since: nil, by: &judgement, now: services.clock.milliseconds)
        } catch {
            switch error {
            case .gone:
                session.forgetNamespace()
                throw RealtimeRefusal(.error, RESTError.unknownNamespace.text)
            case .denied(_, let position):
                return reply(question, .permissionDenied, until: position)
            }
        }
        let feed = feeds.feed(FeedID(namespace: namespace.number, view: entry.id), namespace, view)
        let listen = Listen(session, key, place.query, feed, judged: judgement)
        feed.add(listen)
        judged.add(listen)
        session.listens[key] = listen
        services.metrics.subscriptions.add()
        begin(listen, entry, hash: hash, for: question)
    }

    private func begin(
        _ listen: Listen, _ entry: HearthEngine.Subscription, hash: String, for question: Question
    ) {
        let beginning = ListenBeginning(
            view: listen.feed.view, state: entry.state, hash: hash,
            byteLimit: services.configuration.limits.realtimeAnswerBytes)
        if beginning.lacksIndex { listen.feed.namespace.demandIndex(for: listen.feed.view, services) }
        guard isHard(listen.feed.view, entry.state) else {
            return finish(listen, beginning.result(), beginning, until: entry.position, for: question)
        }
        listen.phase = .catchingUp([])
        question.session.output.beginPreparing(entry.position)
        let (key, number) = (listen.key, question.number)
        work(for: question.session) {
            beginning.result()
        } _: { loop, session, result in
            session.output.endPreparing()
            defer { session.output.resumeReplies() }
            let question = Question(session: session, number: number)
            // It may have been revoked meanwhile, but every request is answered.
            guard let listen = session.listens[key] else {
                return loop.reply(question, .permissionDenied, until: 0)
            }
            loop.finish(listen, result, beginning, until: entry.position, for: question)
            guard case .catchingUp(let backlog) = listen.phase else { return }
            listen.phase = .live
            if !backlog.isEmpty { loop.deliver(backlog, to: [listen]) }
        }
    }

    private func finish(
        _ listen: Listen, _ result: ListenBeginning.Outcome, _ beginning: ListenBeginning,
        until position: Position, for question: Question
    ) {
        switch result {
        case .known: break
        case .value(var text):
            RealtimeText.appendEnd(tag: listen.key.tag, to: &text)
            reply(question.session, Packet(text), until: position)
        case .refused(let refusal):
            question.session.listens[listen.key] = nil
            stopFollowing(listen)
            return reply(question, refusal, until: position)
        }
        replyListening(question, lacksIndex: beginning.lacksIndex, until: position)
    }

    private func replyListening(_ question: Question, lacksIndex: Bool, until position: Position) {
        guard let number = question.number else { return }
        reply(question.session, until: position) {
            RealtimeText.appendListening(to: number, lacksIndex: lacksIndex, to: &$0)
        }
    }

    /// Ends a listen. That there is none is nothing to complain of: it may have been revoked just now.
    func unlisten(from place: RealtimeQuestion, for question: Question) {
        if case .node(let path) = place.place,
            let listen = question.session.listens.removeValue(forKey: ListenKey(path: path, tag: place.tag))
        {
            stopFollowing(listen)
        }
        reply(question, .ok, until: 0)
    }

    /// Takes a listen out of its feed; its session forgets it itself.
    func stopFollowing(_ listen: Listen) {
        let feed = listen.feed
        feed.remove(listen)
        judged.remove(listen)
        feeds.removeIfUnused(feed)
        services.metrics.subscriptions.add(-1)
        feed.namespace.unsubscribe(from: feed.id.view, on: index, judged: listen.judgement)
    }

    /// Takes a listen away from a client that may no longer read, once what took it away is durable.
    func revoke(_ listen: Listen, until position: Position) {
        let session = listen.session
        session.listens[listen.key] = nil
        stopFollowing(listen)
        reply(session, until: position) {
            RealtimeText.appendCancel(at: listen.key.path, query: listen.query, to: &$0)
        }
    }

    /// Judges a listen for who its client is now.
    func judgeAnew(_ listen: Listen) {
        let feed = listen.feed
        var judgement = ReadJudgement(
            listen.session.asker, path: listen.judgement.path, query: listen.judgement.query)
        do throws(EntryRefusal) {
            _ = try feed.namespace.subscribe(
                to: feed.view, on: index, since: nil, by: &judgement, now: services.clock.milliseconds)
            feed.namespace.unsubscribe(from: feed.id.view, on: index, judged: listen.judgement)
            judged.remove(listen)
            listen.judgement = judgement
            judged.add(listen)
        } catch {
            var position: Position = 0
            if case .denied(_, let seen) = error { position = seen }
            revoke(listen, until: position)
        }
    }

    /// Answers with a value as it is now.
    func get(_ place: RealtimeQuestion, for question: Question) throws(RealtimeRefusal) {
        guard case .node(let path) = place.place else {
            return reply(question, Array("null".utf8), until: 0)
        }
        let session = question.session
        let view = View(path: path, query: try place.parsedQuery())
        let namespace = try namespace(of: session, creates: false)
        guard let sight = namespace.look(services, newestOwn: session.newestWrite) else {
            session.forgetNamespace()
            throw RealtimeRefusal(.error, RESTError.unknownNamespace.text)
        }
        // The state may be newer than what this loop has heard of: it is shown behind the pushes up to there.
        let position = max(sight.position, services.durable.position)
        var judgement = ReadJudgement(session.asker, path: path, query: place.query == nil ? nil : view.query)
        do throws(Refusal) {
            try namespace.judge(&judgement, sight, now: services.clock.milliseconds)
        } catch {
            return reply(question, .permissionDenied, until: position)
        }
        let reading = ValueReading(
            view: view, state: sight.state, byteLimit: services.configuration.limits.realtimeAnswerBytes)
        guard isHard(view, sight.state) else {
            return finish(reading.result(), until: position, for: question)
        }
        namespace.demandIndex(for: view, services)
        let number = question.number
        work(for: session) {
            reading.result()
        } _: { loop, session, result in
            loop.finish(result, until: position, for: Question(session: session, number: number))
        }
    }

    private func finish(
        _ result: Result<[UInt8], RealtimeRefusal>, until position: Position, for question: Question
    ) {
        switch result {
        case .success(let json): reply(question, json, until: position)
        case .failure(let refusal): reply(question, refusal, until: position)
        }
    }

    private func reply(_ question: Question, _ json: [UInt8], until position: Position) {
        guard let number = question.number else { return }
        reply(question.session, until: position) { output in
            json.withUnsafeBytes { RealtimeText.appendReply(to: number, .ok, data: $0, to: &output) }
        }
    }

    /// Whether finding a value takes so long that a worker should do it.
    private func isHard(_ view: View, _ state: State) -> Bool {
        if case .sort(let count) = Window.effort(for: view, in: state), count > 2000 { return true }
        guard view.query.limit == nil else { return false }
        return isLarge(state.root.descendant(at: view.path))
    }
}

extension RealtimeQuestion {
    /// What is asked of the children.
    fileprivate func parsedQuery() throws(RealtimeRefusal) -> Query {
        guard let query else { return .whole }
        do throws(RealtimeQueryError) {
            return try RealtimeQuery(reading: query).query
        } catch {
            throw RealtimeRefusal(.invalidData, "Invalid query: \(error)")
        }
    }
}
