// What carries the messages of a session of the realtime protocol, and how its client goes away.

/// How a client goes away.
enum Departure: CaseIterable {
    /// It says so by the means of its protocol.
    case farewell
    /// It ends its connections.
    case hangUp
    /// Its connections break, and both ends are told.
    case reset
    /// Nothing it sends arrives any more, and nobody is told.
    case silence
}

/// The way between a client of the realtime protocol and the server.
protocol SessionLine: AnyObject {
    /// For how many looks nothing has come.
    var silence: Int { get }
    /// Whether the client has gone over from polls to a WebSocket.
    var hasGoneOver: Bool { get }
    /// Says one message, which is JSON.
    ///
    /// - Parameter pieces: in how many segments, about.
    func say(_ text: String, in pieces: Int)
    /// Takes the messages that have come; nil once no more will.
    func hear(_ surroundings: any Surroundings) throws(Violation) -> [Value]?
    func leave(_ departure: Departure)
    /// Whether the server may take the client for gone at present.
    func mayBeOver(_ surroundings: any Surroundings) -> Bool
}

extension SessionLine {
    var hasGoneOver: Bool { false }

    func say(_ text: String) { say(text, in: 1) }

    /// Says a message about the connection itself.
    func say(control: String) { say(#"{"t":"c","d":{"t":"\#(control)","d":{}}}"#) }
}

extension Value {
    /// What a message says about its connection; nil for one of another kind.
    var control: String? { self["t"] == .text("c") ? self["d"]["t"].string : nil }
}
