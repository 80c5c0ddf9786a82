// A client that begins with long polls and goes over to a WebSocket with its session, as SDKs in browsers do.

/// Long polls, and the WebSocket that takes their place if all goes well (wire-protocol.md §3.4).
///
///     polls   greeting  …  …            n (nothing more by polls)   …  n, close
///     socket               a  ping  o  ping  o  a (coming over)  what is asked from here on
final class CrossingLine: SessionLine {
    private enum Phase {
        /// Polls alone: so many looks after the greeting a WebSocket is tried.
        case polling(patience: Int)
        /// There is a WebSocket, over which so many pings were answered.
        case trying(SocketLine, pongCount: Int)
        /// The client has said that it goes over. What comes by the WebSocket is heard when the polls' last
        /// word has come.
        case crossing(SocketLine, early: [Value])
        case over(SocketLine)
        /// It came to nothing: polls alone, for good.
        case staying
    }

    private let parameters: String
    private let polls: PollingLine
    private var phase: Phase
    /// What the server calls the session.
    private var session: String?

    /// - Parameters:
    ///   - parameters: those of both ways.
    ///   - last: the session that the client had before.
    ///   - patience: for how many looks polls are good enough.
    init(parameters: String, after last: String, patience: Int) {
        self.parameters = parameters
        polls = PollingLine(parameters: parameters + last)
        phase = .polling(patience: patience)
    }

    var hasGoneOver: Bool {
        if case .over = phase { return true }
        return false
    }

    var silence: Int {
        switch phase {
        case .polling, .trying, .staying: polls.silence
        case .crossing(let socket, _): max(polls.silence, socket.silence)
        case .over(let socket): socket.silence
        }
    }

    func mayBeOver(_ surroundings: any Surroundings) -> Bool {
        switch phase {
        case .polling, .trying, .staying: polls.mayBeOver(surroundings)
        case .crossing(let socket, _): polls.mayBeOver(surroundings) || socket.mayBeOver(surroundings)
        case .over(let socket): socket.mayBeOver(surroundings)
        }
    }

    func say(_ text: String, in pieces: Int) {
        switch phase {
        case .polling, .trying, .staying: polls.say(text, in: pieces)
        case .crossing(let socket, _), .over(let socket): socket.say(text, in: pieces)
        }
    }

    func leave(_ departure: Departure) {
        polls.leave(departure)
        switch phase {
        case .polling, .staying: break
        case .trying(let socket, _), .crossing(let socket, _), .over(let socket): socket.leave(departure)
        }
    }

    func hear(_ surroundings: any Surroundings) throws(Violation) -> [Value]? {
        let polled = try polls.hear(surroundings)
        switch phase {
        case .polling(let patience):
            for message in polled ?? [] where message.control == "h" {
                session = message["d"]["d"]["s"].string
            }
            if let session, polled != nil { wait(patience, session, surroundings) }
            return polled
        case .trying(let socket, let pongCount):
            if polled == nil { socket.leave(.hangUp) } else { try tryOut(socket, pongCount, surroundings) }
            return polled
        case .crossing(let socket, let early):
            return try cross(polled, socket, early, surroundings)
        case .over(let socket):
            guard polled?.isEmpty ?? true else { throw Violation("polls go on after their last word") }
            return try socket.hear(surroundings)
        case .staying: return polled
        }
    }

    private func wait(_ patience: Int, _ session: String, _ surroundings: any Surroundings) {
        phase = .polling(patience: patience - 1)
        guard patience <= 0, let wire = surroundings.connect()?.wire else { return }
        phase = .trying(SocketLine(wire, parameters: "\(parameters)&s=\(session)"), pongCount: 0)
    }

    /// Looks whether the WebSocket is any good, while polls go on.
    private func tryOut(
        _ socket: SocketLine, _ pongCount: Int, _ surroundings: any Surroundings
    ) throws(Violation) {
        guard let messages = try socket.hear(surroundings), socket.silence < 400 else {
            socket.leave(.hangUp)
            phase = .staying
            return
        }
        var pongCount = pongCount
        for message in messages {
            switch message.control {
            case "a" where pongCount == 0: break
            case "o" where pongCount < 2: pongCount += 1
            case "r":
                socket.leave(.hangUp)
                phase = .staying
                return
            default: throw Violation("a WebSocket that nobody has gone over to says \(message.summary)")
            }
            phase = .trying(socket, pongCount: pongCount)
            guard pongCount < 2 else { return goOver(to: socket) }
            socket.say(control: "p")
        }
    }

    private func goOver(to socket: SocketLine) {
        socket.say(control: "a")
        polls.say(control: "n")
        phase = .crossing(socket, early: [])
    }

    private func cross(
        _ polled: [Value]?, _ socket: SocketLine, _ early: [Value], _ surroundings: any Surroundings
    ) throws(Violation) -> [Value]? {
        guard let polled, let arrived = try socket.hear(surroundings) else {
            leave(.hangUp)
            return nil
        }
        phase = .crossing(socket, early: early + arrived)
        guard let end = polled.firstIndex(where: { $0.control == "n" }) else { return polled }
        guard end == polled.count - 1 else { throw Violation("polls go on after their last word") }
        surroundings.trace("session \(session ?? "") has gone over")
        phase = .over(socket)
        return polled.dropLast() + early + arrived
    }
}
