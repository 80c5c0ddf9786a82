// A request to `/.files`, read and known to be somebody's.
import HearthCore
import HearthEngine
import HearthRules
import HearthStorage
import HearthWire

/// What is asked of which file, and by whom.
struct FileCall: Sendable {
    let path: FilePath
    let place: StoredFile.Place
    let namespace: Namespace
    let asker: Asker
    let store: FileStore
    let reply: RESTReply

    /// The question whether it may be done.
    ///
    /// - Parameter request: what is sent; nothing for reading and removing.
    func judgement(isWrite: Bool, request: FileFacts.Side = FileFacts.Side()) -> FileJudgement {
        var facts = FileFacts(request: request)
        if let found = store.find(place)?.file {
            facts.resource = FileFacts.Side(size: Int64(found.byteCount), contentType: found.contentType)
        }
        return FileJudgement(asker, isWrite: isWrite, names: path.names, facts: facts)
    }
}

extension Loop {
    /// Finds out who asks for which file.
    ///
    /// - Throws: 400, 401, 403, 404 and what else the request is not done for.
    func fileCall(_ text: String, _ head: HTTPRequestHead, on connection: Connection) throws(RESTError)
        -> FileCall
    {
        let path = try FilePath(text)
        let parameters = try RESTParameters(head)
        let host = hostMeaning(of: head)
        let name = namespaceName(head, host, parameter: parameters[.namespace])
        let isLocal = try isLocal(head, host, name, connection)
        let credential = try RESTCredential(head, parameters)
        let caller = try services.access.standIn(
            caller(credential, isScript: false), for: parameters[.authVariableOverride])
        let namespace = try namespace(name, creates: head.method == .put, caller)
        var reply = RESTReply(to: head)
        if isStopping { reply.keepsAlive = false }
        return FileCall(
            path: path, place: path.place(in: namespace.name), namespace: namespace,
            asker: caller.asker(isLocal: isLocal), store: services.files, reply: reply)
    }

    /// Judges a request to a file for the state that `sight` has.
    ///
    /// - Throws: 401 if it is refused.
    func judge(_ judgement: FileJudgement, _ namespace: Namespace, _ sight: Sight) throws(RESTError) {
        do throws(Refusal) {
            try namespace.judge(judgement, sight, now: services.clock.milliseconds)
        } catch {
            throw .permissionDenied
        }
    }
}
