// A request to a place in the tree, with everything that was found out about it.
import HearthCore
import HearthEngine
import HearthJSON
import HearthSync
import HearthWire

/// A request to a place in the tree that was let in; an object, because it is handed on many times.
final class DataRequest: Sendable {
    let call: RESTCall
    let reply: RESTReply
    let caller: Caller
    /// Whether it may use what is open to this machine's programs alone.
    let isLocal: Bool
    /// Whether a refusal of the rules is explained.
    let explains: Bool
    let namespace: Namespace
    /// The monotonic time after which the answer to a read comes too late, in nanoseconds; nil if there is
    /// none.
    let deadline: Int64?
    /// What the request listens to, or reads.
    let view: View
    /// Whether it reads a value and wants nothing but its compact text.
    let isPlain: Bool
    /// Whether it asks for children in an order, or some of them alone.
    let hasQuery: Bool

    /// Puts together what was found out about a request.
    init(
        _ head: HTTPRequestHead, _ call: RESTCall, _ caller: Caller, isLocal: Bool, in namespace: Namespace,
        deadline: Int64?
    ) {
        self.call = call
        reply = RESTReply(to: head, call)
        self.caller = caller
        self.isLocal = isLocal
        explains = caller.mayBeExplained && head.asksForExplanation
        self.namespace = namespace
        self.deadline = deadline
        view = View(path: call.location.path, query: call.query ?? .whole)
        isPlain = call.wantsPlainText && deadline == nil
        hasQuery = call.query != nil
    }

    /// The same poll from another cursor on, if that is all in which a head differs from that of this one.
    func varied(by head: HTTPRequestHead) -> DataRequest? {
        call.varied(by: head).map {
            DataRequest(head, $0, caller, isLocal: isLocal, in: namespace, deadline: deadline)
        }
    }

    /// Who is judged.
    var asker: Asker { caller.asker(isLocal: isLocal) }

    /// The question whether it may read.
    var reading: ReadJudgement {
        ReadJudgement(asker, path: call.location.path, query: call.query, explains: explains)
    }

    /// The form of a value's text that the request asked for.
    var format: NodeSerializer.Format {
        var format = NodeSerializer.Format.plain
        if call.form.isExport { format = .export }
        if call.hasQuery { format.arrays = call.form.isExport ? .nowhere : .belowTop }
        if call.form.isShallow {
            format.arrays = .nowhere
            format.isShallow = true
        }
        if call.form.print == .pretty { format.layout = .pretty }
        return format
    }

    /// The value that a read asks for: all of a place, or a window on its children.
    func value(in state: State) -> Result<Excerpt, RESTError> {
        do throws(Refusal) {
            return .success(try view.excerpt(in: state))
        } catch {
            return .failure(RESTError(error))
        }
    }

    /// The reply with the cursor of what was seen or made, and its tag if the request wants one.
    func reply(_ state: State, tagged node: Node?) -> RESTReply {
        var reply = reply
        reply.cursor = Cursor(epoch: namespace.epoch, revision: state.revision)
        if call.wantsETag, let node { reply.etag = HTTPFieldValue(node.etag) }
        return reply
    }
}

extension RESTCall {
    /// Whether a value is to be answered as it is: without a tag, a condition or another form.
    fileprivate var wantsPlainText: Bool {
        action == .read && !isHead && !location.isPriority && !wantsETag && !form.isShallow
            && form.print == .plain && form.callback == nil && form.downloadName == nil
    }
}

extension HTTPRequestHead {
    /// Whether a refusal is to be explained, to who may know.
    fileprivate var asksForExplanation: Bool {
        guard let range = fields.value(of: .hearthExplain) else { return false }
        return fields.equals("true", in: range)
    }
}
