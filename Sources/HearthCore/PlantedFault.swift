// Mistakes that tests make on purpose, to see that they would be noticed. None of this is in a release build.

#if DEBUG
    /// A mistake that the server makes while a test has it planted, in the test's own task alone.
    package enum PlantedFault: String, CaseIterable, Sendable {
        /// Writes are acknowledged, and told, once they are written and before they are synced.
        case repliesBeforeSync
        /// A full segment is left unsynced when the next one begins.
        case leavesFullSegmentUnsynced
        /// A start takes the last sound batch of the journal for an unfinished one.
        case losesTailRecord
        /// A start passes over the first record after the checkpoint.
        case replaysOneTooFew
        /// A new segment's name is not synced before records are written to it.
        case leavesSegmentNameUnsynced
        /// A checkpoint gets its name before its content is synced, and older files go.
        case namesCheckpointBeforeSync
        /// Segments are released although the checkpoint does not hold all of their records.
        case releasesTooMuch
        /// A large value is named by the journal before its file is synced.
        case namesBulkFileBeforeSync
        /// The journal is not given what a loop has written.
        case keepsRecordsBack
        /// Reads show what is not synced yet.
        case readsUndurable
        /// Events are told before their commit is synced.
        case tellsUndurable
        /// A stream that comes back is told its last commit again.
        case tellsTwiceOnResume
        /// A stream that comes back is not told the first commit that it missed.
        case skipsOneOnResume
        /// Only the first place of an update is judged.
        case judgesFirstPlaceOnly
        /// A condition is taken as met.
        case ignoresCondition
        /// A write for which there is no room is refused and yet done.
        case keepsRefusedWrite
        /// Commits take the machine's time even if it was set back.
        case goesBackInTime
        /// A start runs again what a session left, although its commit is in the journal.
        case runsLeavingsTwice
        /// What a session leaves is not written when it ends.
        case forgetsLeavings
        /// A checkpoint does not hold what sessions leave.
        case checkpointsNoLeavings
        /// What a session leaves is judged when it is set, and not when it is written.
        case judgesLeavingsOnce
        /// Replies of the realtime protocol leave before what they show is synced.
        case answersUndurable
        /// Of commits that become durable together, a listen is told the last one alone.
        case pushesLastOfBatch
        /// Followers are not judged again when rules, or what they look at, change.
        case tellsDenied

        /// What a session left is written without a word in the journal of whose it was.
        case forgetsWhoseEndIsWritten
        /// A start does not look at what sessions have left.
        case forgetsSessionsAtStart
        /// That a session takes back what it left is not recorded.
        case recordsNoCancel
        /// A client that gives no sign of life is waited for, for ever.
        case waitsForSilentClients
        /// A client that comes back is told that it holds all there is.
        case takesAnyHash
        /// A write is replied to before its writer's listens are told of it.
        case repliesBeforePushes
        /// Of one commit plain listens are told before filtered ones.
        case tellsWindowsLast
        /// What polls are still owed is dropped when their client goes over to a WebSocket.
        case dropsWhatPollsAreOwed
        /// What a client says by its WebSocket is done before all that it said by polls has come.
        case heedsSocketBeforePolls
        /// What a session leaves is written when its client goes over to a WebSocket.
        case endsSessionsThatGoOver

        /// What is planted for the code that the present task runs, on its own thread.
        @TaskLocal package static var planted: PlantedFault?

        /// Whether this mistake is to be made here and now.
        package static func isPlanted(_ fault: PlantedFault) -> Bool { planted == fault }
    }
#endif
