// A request while its body is still coming.
import HearthWire

/// A request with a body whose head is known, and as much of its body as has come.
///
/// The bytes are taken out of a budget that all connections share and given back when the request is decided.
final class Upload {
    /// Where the body's bytes go.
    enum Sink {
        /// They are gathered for whoever decides the request.
        case memory
        /// They are dropped: the answer is known already and waits for the end of the body.
        case discard(RESTError)
        /// They are handed to a worker, piece by piece.
        case pipe(any BodyPipe)
    }

    let head: HTTPRequestHead
    let route: Route
    var decoder: HTTPBodyDecoder
    var sink = Sink.memory
    private(set) var body: [UInt8] = []
    private var budgetTaken = 0
    private let budget: BodyBudget

    /// Begins a request.
    ///
    /// - Throws: 413 when the body is known to be longer than allowed.
    init(_ head: HTTPRequestHead, _ route: Route, services: Services) throws(HTTPParseError) {
        self.head = head
        self.route = route
        budget = services.bodyBudget
        let limit = Upload.limit(route, head, services.configuration.limits)
        decoder = try HTTPBodyDecoder(head.body, limit: limit, limits: services.httpLimits)
    }

    /// The body of a request that has none, where one counts.
    init(empty head: HTTPRequestHead, services: Services) {
        self.head = head
        route = Route(head)
        budget = services.bodyBudget
        decoder = HTTPBodyDecoder.empty
    }

    /// The longest body that an address takes.
    private static func limit(
        _ route: Route, _ head: HTTPRequestHead, _ limits: Configuration.Limits
    ) -> Int {
        switch route {
        case .settings("import"): Int.max
        case let route where route.isIdentity: Upload.accountLimit(head)
        case .files: limits.fileBytes
        default: limits.bodyBytes
        }
    }

    deinit {
        abandon()
    }

    /// Imports of accounts are long, all other calls short.
    private static func accountLimit(_ head: HTTPRequestHead) -> Int {
        head.fields.text(head.path).hasSuffix(":batchCreate") ? 16 << 20 : 64 << 10
    }

    /// Whether the rest of the body may come now.
    var wantsMore: Bool {
        guard case .pipe(let pipe) = sink else { return true }
        return pipe.wantsMore
    }

    /// Takes the next bytes of the body, or returns false when there is no room for them.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch sink {
        case .discard: return true
        case .pipe(let pipe): return pipe.take(bytes)
        case .memory:
            guard !bytes.isEmpty else { return true }
            // Small bodies are gone again within the turn and are not worth the shared counter.
            if body.count + bytes.count > 16 << 10 {
                guard budget.take(bytes.count) else { return false }
                budgetTaken += bytes.count
            }
            body.append(contentsOf: bytes)
            return true
        }
    }

    /// Hands the body over; its share of the budget is given back when the result is dropped.
    func takeBody() -> Body {
        defer {
            body = []
            budgetTaken = 0
        }
        return Body(bytes: body, budget: budget, taken: budgetTaken)
    }

    /// Forgets the body: the client is gone or has done something wrong.
    func abandon() {
        if case .pipe(let pipe) = sink { pipe.cut() }
        sink = .discard(.noData)
        body = []
        budget.giveBack(budgetTaken)
        budgetTaken = 0
    }
}

/// A whole body on its way to whoever decides the request.
final class Body: Sendable {
    let bytes: [UInt8]
    private let budget: BodyBudget
    private let taken: Int

    /// The body of a request that has none.
    static let none = Body(bytes: [], budget: BodyBudget(limit: 0), taken: 0)

    init(bytes: [UInt8], budget: BodyBudget, taken: Int) {
        self.bytes = bytes
        self.budget = budget
        self.taken = taken
    }

    deinit {
        budget.giveBack(taken)
    }
}

/// Takes a body piece by piece while it comes. It belongs to the connection's loop.
protocol BodyPipe: AnyObject {
    /// Whether more bytes may come now; when it turns true again the loop is told through its mailbox.
    var wantsMore: Bool { get }
    /// Takes the next bytes, or returns false when there is no room for them.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// The body ended before its time: nothing of it may have an effect.
    func cut()
}
