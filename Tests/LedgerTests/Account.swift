// What one writer did, and what he was told about it.

/// The ledger of one writer. What is neither acknowledged nor refused may or may not have happened.
struct Account: Sendable {
    let writer: Int
    /// The number of the last child that was sent.
    var sentCount = 0
    /// Acknowledged children by their key.
    var pushed: [String: String] = [:]
    /// Tokens of pairs that were acknowledged.
    var pairs: Set<String> = []
    /// Keys whose removal was sent, and of those the acknowledged ones.
    var removing: Set<String> = []
    var removed: Set<String> = []
    /// The number of the child last put into the writer's slot, and of the last acknowledged one.
    var slotSent = 0
    var slotAcknowledged = 0

    init(writer: Int) {
        self.writer = writer
    }
}
