// A request to a place in the tree, with everything that was found out about it.
import HearthCore
import HearthEngine
import HearthJSON
import HearthSync
import HearthWire

/// A request to a place in the tree that was let in.
struct DataRequest: Sendable {
    let call: RESTCall
    var reply: RESTReply
    let caller: Caller
    /// Whether it may use what is open to this machine's programs alone.
    let isLocal: Bool
    /// Whether a refusal of the rules is explained.
    let explains: Bool
    let namespace: Namespace
    /// The monotonic time after which the answer to a read comes too late, in nanoseconds; nil if there is
    /// none.
    let deadline: Int64?

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
