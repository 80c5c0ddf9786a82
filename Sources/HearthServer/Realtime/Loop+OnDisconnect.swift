// What a client leaves to be written when its session ends.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

extension Loop {
    /// Adds to what is to be written when the session ends, or drops some of it.
    func keep(_ change: OnDisconnectChange, for question: Question) throws(RealtimeRefusal) {
        let session = question.session
        let namespace = try namespace(of: session, creates: true)
        do throws(WriteRefusal) {
            let position = try namespace.onDisconnect(
                OnDisconnectRequest(session: session.id, asker: session.asker, change: change),
                services: services, from: index)
            session.leavesWrites = true
            reply(question, .ok, until: position)
        } catch {
            let again = { @Sendable (loop: Loop, question: Question) in loop.keepAgain(change, for: question)
            }
            if awaitRoom(after: error, for: question, again) { return }
            refuse(question, error)
        }
    }

    private func keepAgain(_ change: OnDisconnectChange, for question: Question) {
        do throws(RealtimeRefusal) {
            try keep(change, for: question)
        } catch {
            reply(question, error, until: 0)
        }
    }

    /// Somebody else asks from now on: what is to be written will be judged in that name.
    func renameOnDisconnect(of session: Session) {
        guard session.leavesWrites, let namespace = session.namespace(in: services.namespaces) else { return }
        do throws(WriteRefusal) {
            _ = try namespace.onDisconnect(
                OnDisconnectRequest(session: session.id, asker: session.asker, change: .rename),
                services: services, from: index)
        } catch {
            services.log.warning(
                "on-disconnect writes keep their asker", ("namespace", session.namespaceName))
        }
    }

    /// Writes what a session has left.
    func runOnDisconnect(of session: Session) {
        guard session.leavesWrites else { return }
        session.leavesWrites = false
        #if DEBUG
            if PlantedFault.isPlanted(.forgetsLeavings) { return }
        #endif
        session.namespace(in: services.namespaces)?.runOnDisconnect(
            of: session.id, services: services, from: index)
    }
}
