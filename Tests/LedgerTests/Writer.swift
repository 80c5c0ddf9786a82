// A client that writes as long as there is a server to write to.
import HearthTesting

/// Sends one request after the other and writes down what comes of it. It never sends anything twice.
struct Writer {
    private enum Request {
        case push(Child)
        case pair(Child)
        case remove(key: String)
        case put(Child)
    }

    private let monitor: Monitor<Proceedings>
    private var random: SeededRandom
    private var account: Account

    init(_ number: Int, _ monitor: Monitor<Proceedings>, random: SeededRandom) {
        self.monitor = monitor
        self.random = random
        account = Account(writer: number)
    }

    /// Writes until the run is over.
    mutating func run() {
        // The follower's cursor comes first, so that it must be told of everything.
        _ = monitor.wait(atMost: 60) { $0.followedNumber > 0 || $0.isOver ? true : nil }
        var number = 0
        while let server = monitor.wait(atMost: 60, { [number] in $0.server(after: number) }) ?? nil {
            number = server.number
            write(to: server)
        }
        let account = account
        monitor.update { $0.accounts.append(account) }
    }

    private mutating func write(to server: Present) {
        do throws(WireFault) {
            let client = try WireClient(port: server.port)
            while monitor.update({ !$0.isOver && $0.faults.isEmpty }) {
                try perform(next(), over: client)
            }
        } catch {
            // The server is gone: what was under way may have been done or not.
        }
    }

    private mutating func next() -> Request {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            return .pair(child(length: 40))
        case 1:
            guard let key = account.pushed.keys.filter({ !account.removing.contains($0) }).min() else {
                return .push(child(length: 20))
            }
            account.removing.insert(key)
            return .remove(key: key)
        case 2:
            // Above 64 kB the value could not be undone, and whoever was away would have to begin anew.
            let child = child(length: Int.random(in: 1...50_000, using: &random))
            account.slotSent = account.sentCount
            return .put(child)
        default: return .push(child(length: Int.random(in: 1...2_000, using: &random)))
        }
    }

    private mutating func child(length: Int) -> Child {
        account.sentCount += 1
        return Child(writer: account.writer, number: account.sentCount, length: length)
    }

    private mutating func perform(_ request: Request, over client: WireClient) throws(WireFault) {
        monitor.update { $0.begunCount += 1 }
        let answer: WireClient.Answer
        switch request {
        case .push(let child): answer = try client.ask("POST", "/ledger.json", body: child.json)
        case .pair(let child):
            let json = String(decoding: child.json, as: UTF8.self)
            let body = #"{"ledger/pair-\#(child.token)":\#(json),"pairs/\#(child.token)":\#(json)}"#
            answer = try client.ask("PATCH", "/.json", body: Array(body.utf8))
        case .remove(let key): answer = try client.ask("DELETE", "/ledger/\(key).json")
        case .put(let child):
            answer = try client.ask("PUT", "/slots/w\(account.writer).json", body: child.json)
        }
        guard answer.status == 200 else {
            monitor.update { $0.faults.append("a write was answered by \(answer)") }
            return
        }
        note(request, answer)
        monitor.update { $0.acknowledgedCount += 1 }
    }

    private mutating func note(_ request: Request, _ answer: WireClient.Answer) {
        switch request {
        case .push(let child):
            let parts = answer.text.split(separator: "\"")
            guard parts.count == 5, parts[1] == "name" else {
                monitor.update { $0.faults.append("a push was answered by \(answer)") }
                return
            }
            account.pushed[String(parts[3])] = child.token
        case .pair(let child): account.pairs.insert(child.token)
        case .remove(let key): account.removed.insert(key)
        case .put(let child): account.slotAcknowledged = child.number ?? 0
        }
    }
}
