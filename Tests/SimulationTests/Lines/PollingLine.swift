// Long polls of the realtime protocol on the simulated network, as a browser's page makes them.
import Foundation
import HearthWire

/// A session's way to the server by requests to `/.lp`, each over any free connection.
final class PollingLine: SessionLine {
    /// The most letters of a message that one request carries.
    private static let pieceLimit = 1_840

    private let parameters: String
    private var identity: String?
    private var isBegun = false
    private var hasLeft = false
    /// Connections that wait for an answer, with when they were asked, and those that wait for a request.
    private var busy: [(line: Line, moment: Int64)] = []
    private var free: [Line] = []
    /// When the newest request was sent that was answered: the server has heard of the client then.
    private var heardAt: Int64 = .min
    /// Pieces of messages that are still to be sent.
    private var waiting: [(text: String, count: Int)] = []
    private var nextPiece = 0
    private var serial = 100
    private var nextResponse = 0
    private var early: [Int: [Value]] = [:]
    /// After which response the server has ended the session.
    private var last: Int?
    private(set) var silence = 0

    /// - Parameter parameters: those of the first request.
    init(parameters: String) {
        self.parameters = parameters
    }

    /// Polls may be cut and others take their place; but if none comes for some time the client is gone.
    func mayBeOver(_ surroundings: any Surroundings) -> Bool {
        hasLeft || surroundings.moment - max(0, heardAt) >= surroundings.patience
    }

    func say(_ text: String, in pieces: Int) {
        let letters = Data(text.utf8).base64EncodedString().utf8.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): UInt8(ascii: ".")
            default: byte
            }
        }
        let length = min(PollingLine.pieceLimit, max(1, letters.count / pieces))
        let starts = Array(stride(from: 0, to: letters.count, by: length))
        for start in starts {
            let piece = letters[start..<min(start + length, letters.count)]
            waiting.append((String(decoding: piece, as: UTF8.self), starts.count))
        }
    }

    func leave(_ departure: Departure) {
        if departure == .farewell, let identity, let line = free.popLast() {
            line.ask(.get, "/.lp?disconn=t&\(identity)")
        }
        hasLeft = true
        for line in busy.map(\.line) + free { line.wire.leave(departure) }
    }

    func hear(_ surroundings: any Surroundings) throws(Violation) -> [Value]? {
        guard !hasLeft else { return nil }
        silence += 1
        var isCut = false
        for (line, moment) in busy {
            for happening in try line.receive() {
                switch happening {
                case .answer(let answer):
                    silence = 0
                    heardAt = max(heardAt, moment)
                    isCut = try !take(answer) || isCut
                    if line.openCount == 0 { rest(line) }
                case .ended: isCut = true
                case .begins, .bytes: throw Violation("a script without end")
                }
            }
        }
        var messages: [Value] = []
        while let next = early.removeValue(forKey: nextResponse) {
            messages += next
            nextResponse += 1
        }
        if isCut || last.map({ nextResponse > $0 }) ?? false {
            leave(.hangUp)
            return messages.isEmpty ? nil : messages
        }
        try ask(surroundings)
        return messages
    }

    private func rest(_ line: Line) {
        busy.removeAll { $0.line === line }
        free.append(line)
    }

    /// Keeps one request waiting, and a second one while there is something to say.
    private func ask(_ surroundings: any Surroundings) throws(Violation) {
        guard isBegun else {
            isBegun = begin(surroundings, "/.lp?start=t&ser=1&cb=3&\(parameters)")
            return
        }
        guard let identity, busy.count < (waiting.isEmpty ? 1 : 2) else { return }
        var target = "/.lp?\(identity)&ser=\(serial)"
        if let (text, count) = waiting.first { target += "&seg0=\(nextPiece)&ts0=\(count)&d0=\(text)" }
        guard begin(surroundings, target) else { return }
        serial += 1
        if !waiting.isEmpty {
            waiting.removeFirst()
            nextPiece += 1
        }
    }

    /// Sends a request over a free connection or a new one; not if there is no server.
    private func begin(_ surroundings: any Surroundings, _ target: String) -> Bool {
        // One that the server has closed meanwhile is of no use.
        free.removeAll { $0.wire.isBroken || $0.wire.down.endIsOnTheWay || $0.wire.down.hasEnded }
        guard let line = free.popLast() ?? surroundings.connect() else { return false }
        line.ask(.get, target)
        busy.append((line, surroundings.moment))
        return true
    }

    /// Takes a script.
    ///
    /// - Returns: false if the session cannot go on.
    private func take(_ answer: Answer) throws(Violation) -> Bool {
        // The server stops, or has waited too long for the rest of a request.
        guard answer.status != 503, answer.status != 408 else { return false }
        let script = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200 else { throw Violation("\(answer.status) to a poll: \(script)") }
        for call in script.split(separator: "\n") where !call.hasPrefix("function ") {
            if let start = call.wholeMatch(of: /pLPCommand\('start','(\w+)','(\w+)'\);/) {
                identity = "id=\(start.output.1)&pw=\(start.output.2)"
            } else if let packet = call.wholeMatch(of: /pRTLPCB\(([0-9]+),(\[.*\])\);/),
                let number = Int(packet.output.1), let list = Value(json: Array(packet.output.2.utf8))
            {
                guard number >= nextResponse, early.updateValue(list.items, forKey: number) == nil else {
                    throw Violation("response \(number) has come twice")
                }
            } else if let close = call.wholeMatch(of: /pLPCommand\('close'(?:,([0-9]+))?\);/) {
                last = close.output.1.flatMap { Int($0) } ?? -1
            } else {
                throw Violation("no call: \(call.prefix(200))")
            }
        }
        return true
    }
}
