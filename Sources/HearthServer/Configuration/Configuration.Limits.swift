// How much a server takes on before it says no, and how long it waits for others.

extension Configuration {
    /// Bounds on what clients may use; reaching one is a clear answer to that client and to nobody else.
    public struct Limits: Sendable, Equatable {
        /// The longest request head (request line and fields) in bytes; beyond it 431.
        public var headBytes = 32 << 10
        /// The longest body of a REST write in bytes; beyond it 413.
        public var bodyBytes = 256 << 20
        /// The longest file that can be uploaded, in bytes; beyond it 413.
        public var fileBytes = 16 << 20
        /// How many bytes all uploaded files may have together, each counted with 4 kB more; beyond it 507. A
        /// server without files keeps them in memory, and at most 64 MB of them.
        public var allFileBytes = 1 << 30
        /// How many bytes of unfinished and unparsed bodies are held in all; beyond it 503.
        public var bufferedBodyBytes = 512 << 20
        /// How many bytes may wait to be sent to one event stream before it is closed and has to resume.
        public var streamBacklogBytes = 1 << 20
        /// The longest message of a client over the realtime protocol, in bytes; beyond it its WebSocket is
        /// closed.
        public var realtimeMessageBytes = 16 << 20
        /// How many bytes of JSON, about, a value may have that is sent over the realtime protocol; beyond it
        /// the listen or get is refused.
        public var realtimeAnswerBytes = 64 << 20
        /// How many connections are served at once; nil means as many as the descriptors allow.
        public var connections: Int?
        /// How many connections one address may have at once, where an IPv6 network of 64 bits counts as one;
        /// beyond it 503. nil means 1,000, and as many as there are for the programs of this machine.
        public var connectionsPerAddress: Int?
        /// How many requests of one connection may be in flight; beyond it the connection is not read.
        public var pipelinedRequests = 128
        /// How many namespaces there may be.
        public var namespaces = 10_000
        /// The resident memory of the process, in bytes, beyond which writes that add data get 503; at least
        /// 16 MB. nil means 80 % of what the machine and the control groups of the process allow.
        public var memoryBytes: Int?
        /// How many bytes of JSON are counted as a second's work for `writeSizeLimit=`: those that a write
        /// brings and those that it removes.
        public var writeBytesPerSecond = 8 << 20
        /// A body above this many bytes is parsed, and an answer above it written, by a worker; a value
        /// above it is kept in a file of its own, which the journal names.
        public var inlineBytes = 1 << 20

        /// Makes the default limits.
        public init() {}
    }

    /// How long the server waits before it gives up on someone, or lets someone know that it is still there.
    public struct Timeouts: Sendable, Equatable {
        /// From the beginning of a connection to the end of its TLS handshake; then it is closed.
        public var handshake = Duration.seconds(10)
        /// From the first byte of a request to the end of its head; then 408.
        public var head = Duration.seconds(15)
        /// Between two pieces of a body; then 408.
        public var body = Duration.seconds(30)
        /// Between two requests of a connection; then it is closed without a word.
        public var idle = Duration.seconds(75)
        /// How long a client may take nothing of an answer that waits for it; then the connection is dropped.
        public var send = Duration.seconds(60)
        /// Between two signs of life on an event stream.
        public var keepAlive = Duration.seconds(30)
        /// How long a client of the realtime protocol may give no sign of life before it is taken to be gone,
        /// and its on-disconnect writes run; it is asked for one after half of that.
        public var realtime = Duration.seconds(60)
        /// How long a stop waits for the answers that are still owed.
        public var stop = Duration.seconds(10)

        /// Makes the default waiting times.
        public init() {}
    }
}
