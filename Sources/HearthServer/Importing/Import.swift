// A snapshot of any size on its way in: read while it arrives, written as one atomic change.
import HearthCore
import HearthStorage
import HearthWire

/// What an import is asked to do.
struct ImportOrder: Sendable {
    /// What happens to what stands there.
    enum Mode: String, Sendable {
        /// Nothing may stand there.
        case create
        /// Each child of the snapshot replaces the child of that name.
        case merge
        /// The snapshot replaces it.
        case replace
    }

    let path: Path
    let mode: Mode
    let isDryRun: Bool

    /// - Throws: 400 for parameters that mean nothing.
    init(_ parameters: RESTParameters) throws(RESTError) {
        do throws(KeyError) {
            path = try Path(parameters[.path] ?? "/")
        } catch {
            throw RESTError(status: 400, text: "path: \(error)")
        }
        guard path.depth <= Path.depthLimit else {
            throw RESTError(status: 400, text: "path: it is deeper than \(Path.depthLimit) levels")
        }
        guard let mode = Mode(rawValue: parameters[.mode] ?? "create") else {
            throw RESTError(status: 400, text: "mode must be create, merge or replace")
        }
        self.mode = mode
        isDryRun = parameters.isTrue(.dryRun)
    }
}

/// The body of an import as it comes: gathered here, handed to a worker when the piece before is read.
final class ImportPipe: BodyPipe {
    /// So many bytes are gathered at most while a worker is busy.
    private static let byteLimit = 1 << 20

    let order: ImportOrder
    let reading: ImportReading
    private let token: PollToken
    private let mailbox: Mailbox
    private var gathered: [UInt8] = []
    private(set) var isBusy = false
    private(set) var byteCount = 0
    /// Called when the piece on the way is read and nothing more will come.
    private var whenIdle: (() -> Void)?

    init(_ order: ImportOrder, token: PollToken, mailbox: Mailbox, services: Services) {
        self.order = order
        reading = ImportReading(order, services)
        self.token = token
        self.mailbox = mailbox
    }

    var wantsMore: Bool { gathered.count < ImportPipe.byteLimit }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        byteCount += bytes.count
        gathered.append(contentsOf: bytes)
        if gathered.count >= ImportPipe.byteLimit / 4 { ship() }
        return true
    }

    func cut() {
        gathered = []
    }

    /// Takes out what is gathered, as the last piece.
    func takeRest() -> [UInt8] {
        defer { gathered = [] }
        return gathered
    }

    /// Calls `action` when no worker has a piece any more.
    func whenIdle(_ action: @escaping () -> Void) {
        if isBusy { whenIdle = action } else { action() }
    }

    private func ship() {
        guard !isBusy else { return }
        isBusy = true
        let (mailbox, token) = (mailbox, token)
        reading.take(&gathered) {
            mailbox.post(.resume(token) { loop, connection in loop.continueImport(connection) })
        }
    }

    /// The worker has read its piece.
    func pieceIsRead() {
        isBusy = false
        if let action = whenIdle {
            whenIdle = nil
            action()
        } else if gathered.count >= ImportPipe.byteLimit / 4 {
            ship()
        }
    }
}
