// What one session leaves to be written when it ends, and what becomes of that.

/// The on-disconnect writes of one session.
struct Legacy {
    /// How far a request of the client has come.
    enum Progress {
        case unasked, asked, done
    }

    /// Counts the sessions of one client.
    let session: Int
    /// Both places at once, and the one that is left when the other is cancelled.
    let whole: Operation
    let rest: Operation
    var registration = Progress.unasked
    var cancellation = Progress.unasked

    init(of name: String, session: Int) {
        self.session = session
        let token = Value.text("left by \(name).\(session)")
        let place = "gone/\(name)/s\(session)"
        rest = .patch([], ["\(place)/kept": token])
        whole = .patch([], ["\(place)/kept": token, "\(place)/cancelled": token])
    }

    /// The place that may be cancelled.
    func cancelledPlace(of name: String) -> String { "/gone/\(name)/s\(session)/cancelled" }

    /// Whether it was written exactly once, if the session has ended.
    func isWritten(_ chronicle: Chronicle) -> Bool {
        let (whole, rest) = (chronicle.count(of: whole), chronicle.count(of: rest))
        switch (registration, cancellation) {
        case (.unasked, _): return whole + rest == 0
        case (.asked, _): return whole + rest <= 1
        case (.done, .unasked): return whole == 1 && rest == 0
        case (.done, .asked): return whole + rest == 1
        case (.done, .done): return whole == 0 && rest == 1
        }
    }
}
