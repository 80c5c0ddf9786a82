// Fuzzes what reads the messages of the realtime protocol, and its queries.
import HearthCore
import HearthWire

/// The input is one message.
func feed(_ input: [UInt8]) {
    // A WebSocket's texts are UTF-8 before anybody reads them.
    guard String(validating: input, as: UTF8.self) != nil else { return }
    do throws(WebSocketError) {
        guard case .request(let request) = try RealtimeMessage(reading: input) else { return }
        check(request.action)
    } catch {
        precondition(error.code == .policyViolation)
    }
}

private func check(_ action: RealtimeAction) {
    switch action {
    case .listen(let question, _), .unlisten(let question), .get(let question): check(question)
    case .write(.set(let path, let draft), _), .writeOnDisconnect(.set(let path, let draft)):
        check(draft, at: path)
    case .write(.update(let base, let changes), _), .writeOnDisconnect(.update(let base, let changes)):
        for change in changes { check(change.draft, at: base.appending(change.path)) }
    case .refused(let refusal): precondition(!refusal.text.isEmpty && refusal.status != .ok)
    default: break
    }
}

private func check(_ draft: Draft, at path: Path) {
    let node = draft.resolved(old: .empty, now: 1)
    precondition(!node.isDeeper(than: Path.depthLimit - path.depth), "what is too deep is refused")
    var text: [UInt8] = []
    RealtimeText.append(.overwrite(path, .node(node)), to: &text)
    RealtimeText.appendEnd(tag: 1, to: &text)
    precondition(String(validating: text, as: UTF8.self) != nil, "what is pushed is UTF-8")
}

private func check(_ question: RealtimeQuestion) {
    guard let text = question.query else { return }
    do throws(RealtimeQueryError) {
        let query = try RealtimeQuery(reading: text)
        precondition(query.text == text, "a query is echoed as it was written")
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}
