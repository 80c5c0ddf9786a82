// What a comparison is: the same work given to Hearth and to another program, in turns.

/// One piece of work and what is measured of it.
struct Comparison: Sendable {
    /// What the row is called on the command line.
    let name: String
    /// The work, in the words of the table.
    let work: String
    let peer: Peer
    let figures: [Figure]
    /// Starts both sides and says how each is run once.
    let prepare: @Sendable (Load) throws -> Sides
}

/// The two sides of a comparison. A run returns one number for each of its figures, in their order.
struct Sides {
    /// - Parameter run: counts the runs of this side from 0.
    typealias Run = (_ run: Int) throws -> [Double]

    let hearth: Run
    /// Nil where Hearth's numbers stand for themselves.
    var peer: Run?
}

/// Something measured.
struct Figure: Sendable {
    /// How the two sides are put in relation.
    enum Relation {
        /// Hearth's number in parts of the peer's.
        case hearthToPeer
        /// The peer's in parts of Hearth's: of costs it is how much more Hearth does for the same.
        case peerToHearth
    }

    /// What is wanted.
    enum Target {
        case atLeast(Double)
        case atMost(Double)
        /// A bound for Hearth's own number, whatever the peer's.
        case ownAtMost(Double)
        case ownAtLeast(Double)
        /// For information.
        case none
    }

    let name: String
    let unit: Unit
    var relation = Relation.hearthToPeer
    var target = Target.none

    /// How numbers are written.
    enum Unit: String {
        case microseconds = "µs"
        case milliseconds = "ms"
        case perSecond = "/s"
        case kilobytes = "KB"
        case megabytes = "MB"
        case megabytesPerSecond = "MB/s"
    }
}

/// How much is done.
struct Load: Sendable {
    /// So small that a test can run it: its numbers mean nothing.
    let isTiny: Bool
    /// How often each side runs.
    let runCount: Int

    init(isTiny: Bool, runCount: Int?) {
        self.isTiny = isTiny
        self.runCount = runCount ?? (isTiny ? 1 : 5)
    }

    /// How long one run lasts, where it is not the figure itself.
    func seconds(_ usual: Double) -> Double { isTiny ? 0.1 : usual }

    /// How many of something there are.
    func count(_ usual: Int) -> Int { isTiny ? max(2, usual / 50) : usual }
}
