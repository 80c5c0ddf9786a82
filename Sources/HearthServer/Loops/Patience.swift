// How long a loop waits for what a client does next.

/// The timeouts that are looked up for every request, in nanoseconds.
struct Patience: Sendable {
    let idle: Int64
    let head: Int64
    let body: Int64
    let send: Int64
    let handshake: Int64
    let realtime: Int64

    init(_ timeouts: Configuration.Timeouts) {
        idle = timeouts.idle.nanoseconds
        head = timeouts.head.nanoseconds
        body = timeouts.body.nanoseconds
        send = timeouts.send.nanoseconds
        handshake = timeouts.handshake.nanoseconds
        realtime = timeouts.realtime.nanoseconds
    }
}
