// Who a session's client is: shown by tokens, and for as long as they are good.
import HearthCore
import HearthEngine
import HearthWire

extension Loop {
    /// Takes a token (`auth`, `gauth`).
    func signIn(_ credential: RealtimeCredential, for question: Question) {
        do throws(RESTError) {
            let caller = try caller(credential)
            become(caller, question.session)
            reply(question, .ok, until: 0)
        } catch {
            let isExpired = error == .expiredToken
            reply(question, isExpired ? .expiredToken : .invalidToken, error.text, until: 0)
        }
    }

    private func caller(_ credential: RealtimeCredential) throws(RESTError) -> Caller {
        let shown: RESTCredential =
            credential.isUserToken ? .userToken(credential.token) : .bearer(credential.token)
        let caller = try caller(shown, isScript: false)
        switch credential.override {
        case .none: return caller
        case .unauthenticated: return caller.isAdministrator ? .standIn(nil) : caller
        case .variable(let json):
            return try services.access.standIn(caller, for: String(decoding: json, as: UTF8.self))
        }
    }

    /// Forgets the token (`unauth`).
    func signOut(_ question: Question) {
        become(.anybody, question.session)
        reply(question, .ok, until: 0)
    }

    /// A token's time is over: the client is told and is nobody until it shows another one. What it has left
    /// to be written is still written in its name: it was allowed to say so, and cannot say it again.
    func expireToken(of session: Session) {
        reply(session, until: 0) {
            RealtimeText.appendRevocation(.expiredToken, "Auth token is expired.", to: &$0)
        }
        become(.anybody, session, renames: false)
    }

    /// Changes who asks; what he may not read he is told no more.
    ///
    /// - Parameter renames: whether what is left to be written is judged in the new name too.
    private func become(_ caller: Caller, _ session: Session, renames: Bool = true) {
        let before = session.asker
        session.caller = caller
        session.tokenDeadline = moment(ofClock: caller.refusedFrom)
        guard session.asker != before else { return }
        if renames { renameOnDisconnect(of: session) }
        for listen in Array(session.listens.values) { judgeAnew(listen) }
    }
}
