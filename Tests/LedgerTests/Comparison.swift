// What is there in the end, held against what was sent, what was acknowledged and what was told.
import Foundation
import HearthTesting

/// Reads the tree and the rest of the events, and notes what must not be.
struct Comparison {
    private let accounts: [Account]
    private(set) var faults: [String] = []
    private(set) var childCount = 0

    init(_ accounts: [Account]) {
        self.accounts = accounts
    }

    /// Compares everything with the server on `port`.
    mutating func run(port: UInt16, _ follower: inout Follower) throws {
        let client = try WireClient(port: port)
        let ledger = try read("/ledger", client)
        let pairs = try read("/pairs", client)
        let slots = try read("/slots", client)
        childCount = ledger.children.count
        compareLedger(ledger.children)
        comparePairs(ledger.children, pairs.children)
        compareSlots(slots.children)
        expect(try follower.catchUp(port: port, to: slots.cursor), "the follower does not catch up")
        compare(follower, ledger.children)
    }

    private func read(
        _ path: String, _ client: WireClient
    ) throws -> (children: [String: Child], cursor: String) {
        let answer = try client.ask("GET", "\(path).json")
        let children = try JSONDecoder().decode([String: Child]?.self, from: Data(answer.body))
        return (children ?? [:], answer.headers["hearth-cursor"] ?? "")
    }

    private mutating func compareLedger(_ children: [String: Child]) {
        for (key, child) in children { compareSent(key, child) }
        let tokens = Set(children.values.map(\.token))
        expect(tokens.count == children.count, "a child is there twice")
        for account in accounts {
            for (key, token) in account.pushed where !account.removing.contains(key) {
                expect(children[key]?.token == token, "the acknowledged child \(key) \(token) is missing")
            }
            for key in account.removed { expect(children[key] == nil, "the removed child \(key) is there") }
        }
    }

    /// Every value is one that was sent, from end to end.
    private mutating func compareSent(_ key: String, _ child: Child) {
        let account = accounts.first { $0.writer == child.writer }
        expect(child.isWhole, "\(key) is not as it was sent: \(child.token), \(child.text.utf8.count) bytes")
        expect((child.number ?? .max) <= (account?.sentCount ?? 0), "\(key) was never sent: \(child.token)")
    }

    /// Writes of two places happened in both or in none.
    private mutating func comparePairs(_ ledger: [String: Child], _ pairs: [String: Child]) {
        let halves = ledger.filter { $0.key.hasPrefix("pair-") }
        expect(
            halves.count == pairs.count, "there are \(halves.count) first halves and \(pairs.count) others")
        for (token, child) in pairs {
            expect(ledger["pair-\(token)"] == child, "the pair \(token) is there by half")
        }
        for token in accounts.flatMap(\.pairs) {
            expect(pairs[token]?.token == token, "the acknowledged pair \(token) is missing")
        }
    }

    private mutating func compareSlots(_ slots: [String: Child]) {
        for account in accounts {
            let slot = slots["w\(account.writer)"]
            if let slot { compareSent("slot w\(account.writer)", slot) }
            let number = slot?.number ?? 0
            expect(
                number >= account.slotAcknowledged && number <= account.slotSent,
                "slot w\(account.writer) has \(number), acknowledged was \(account.slotAcknowledged)")
        }
    }

    /// The follower was told of everything once, and holds what is there.
    private mutating func compare(_ follower: Follower, _ children: [String: Child]) {
        expect(
            follower.held == children,
            "the follower holds \(follower.held.count) children, there are \(children.count)")
        for account in accounts {
            // What came and went around a restore may never have been told.
            for (key, token) in account.pushed where !account.removing.contains(key) {
                expect(follower.added[key]?.token == token, "the follower was not told of \(key) \(token)")
            }
        }
    }

    private mutating func expect(_ condition: Bool, _ fault: String) {
        if !condition { faults.append(fault) }
    }
}
