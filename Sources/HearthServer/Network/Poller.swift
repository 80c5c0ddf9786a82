// What a loop wants to know of the outside: which descriptors have something to read or take something to
// send.

/// Names a registered descriptor: its number below, a generation above, so that what was meant for a
/// descriptor that was closed meanwhile, and whose number is in use again, is recognised and dropped.
struct PollToken: Hashable, Sendable {
    let bits: UInt64

    init(descriptor: Int32, generation: UInt32) {
        bits = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    init(bits: UInt64) {
        self.bits = bits
    }

    var descriptor: Int32 { Int32(truncatingIfNeeded: bits) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}

/// One descriptor that is ready.
struct PollEvent: Sendable {
    let token: PollToken
    /// It has bytes, an end or an error to be read.
    let isReadable: Bool
    /// It takes bytes.
    let isWritable: Bool
}

/// Waits for many descriptors at once, for one loop. Level-triggered: what is not dealt with is told again.
protocol Poller {
    /// Begins to watch a descriptor for reading.
    func register(_ token: PollToken) throws(SystemFailure)
    /// Chooses what a registered descriptor is watched for.
    func watch(_ token: PollToken, reading: Bool, writing: Bool)
    /// Forgets a descriptor; must come before it is closed.
    func forget(_ token: PollToken)
    /// Replaces `events` by what is ready; waits up to `timeoutNanoseconds`, for ever if nil, and may return
    /// early with nothing.
    func wait(timeoutNanoseconds: Int64?, into events: inout [PollEvent])
}
