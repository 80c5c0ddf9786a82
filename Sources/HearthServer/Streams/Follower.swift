// Somebody who is told of a view, whatever protocol carries it.
import HearthCore
import HearthEngine

/// Somebody who is told of a view as it changes. It belongs to one loop.
class Follower {
    let feed: Feed
    /// The newest revision that it knows.
    var revision: Revision
    /// The revision at which it was let in.
    let firstRevision: Revision
    /// The question whether it may read, with what the last answer rested on.
    var judgement: ReadJudgement
    /// Its place among the feed's followers of its kind.
    var index = 0

    init(_ feed: Feed, judged judgement: ReadJudgement) {
        self.feed = feed
        self.judgement = judgement
        revision = judgement.revision
        firstRevision = judgement.revision
    }
}

@available(*, unavailable)
extension Follower: Sendable {}

/// Whether a follower can be told what is published.
enum FollowingPhase {
    /// As soon as it is durable.
    case live
    /// After what it begins with, which a worker is writing; until then what is published waits here.
    case catchingUp([Publication])
}
