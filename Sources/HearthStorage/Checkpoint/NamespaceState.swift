// What is kept of one namespace, besides its history.
public import HearthCore

/// One namespace as a checkpoint holds it and as recovery finds it. Copying is free.
public struct NamespaceState: Sendable {
    /// Its name.
    public var name: String
    /// The first part of its cursors.
    public var epoch: String
    /// The number of its commits.
    public var revision: Revision
    /// The oldest revision from which history is complete; a cursor of before is too old.
    public var floor: Revision
    /// The time of its last commit, in ms since 1970; 0 if there was none.
    public var lastTime: Int64
    /// The last record of the journal that is part of this state.
    public var position: Position
    /// The text of its security rules; nil if none were ever set.
    public var rules: [UInt8]?
    /// The on-disconnect writes of each session that has some, in the server's encoding.
    public var onDisconnect: [String: [UInt8]]
    /// The data.
    public var root: Node

    /// An empty namespace, made by the record at `position`.
    public init(name: String, epoch: String, position: Position) {
        self.name = name
        self.epoch = epoch
        self.position = position
        revision = 0
        floor = 0
        lastTime = 0
        rules = nil
        onDisconnect = [:]
        root = .empty
    }
}

extension NodeOutput {
    /// The state as it lies in a checkpoint.
    mutating func append(_ state: NamespaceState) throws(Failure) {
        bytes.appendText(state.name)
        bytes.appendText(state.epoch)
        bytes.appendSignedVarint(state.revision)
        bytes.appendSignedVarint(state.floor)
        bytes.appendSignedVarint(state.lastTime)
        bytes.appendSignedVarint(state.position)
        bytes.append(state.rules == nil ? 0 : 1)
        if let rules = state.rules { bytes.appendBytes(rules) }
        bytes.appendCount(state.onDisconnect.count)
        for (session, writes) in state.onDisconnect.sorted(by: { $0.key < $1.key }) {
            bytes.appendText(session)
            bytes.appendBytes(writes)
            try drain()
        }
        try append(state.root)
    }
}

extension ByteReader {
    mutating func namespaceState() throws(DecodingFault) -> NamespaceState {
        var state = NamespaceState(name: try name(), epoch: try name(), position: 0)
        state.revision = try signedVarint()
        state.floor = try signedVarint()
        state.lastTime = try signedVarint()
        state.position = try signedVarint()
        state.rules = try flag() ? try blob() : nil
        for _ in 0..<(try count(upTo: JournalRecord.byteLimit)) {
            let session = try name()
            state.onDisconnect[session] = try blob()
        }
        state.root = try node()
        guard 0 <= state.floor, state.floor <= state.revision, state.position >= 0 else {
            throw fault(.contradiction("its revision, floor and position do not agree"))
        }
        return state
    }
}
