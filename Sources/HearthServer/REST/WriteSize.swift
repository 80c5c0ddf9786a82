// How much a write changes, and how much its client lets it change.
import HearthCore
import HearthEngine
import HearthWire

/// What a write brings and what it removes, in about the bytes of their JSON.
struct WriteSize {
    let weight: Int

    /// Measures a write against the tree that it would change. O(depth) for each place that it names.
    ///
    /// It is an estimate: a write that comes in between may change what is removed.
    init(_ content: RequestBody, of call: RESTCall, in state: State) {
        let place = call.location.path
        let removed =
            switch content {
            case .value where call.action == .push: 0
            case .value: state.root.descendant(at: place).weight
            case .changes(let changes):
                changes.reduce(0) { $0 + state.root.descendant(at: place.appending($1.path)).weight }
            case .priority: 0
            }
        weight = content.weight + removed
    }
}

extension RESTWriteSizeLimit {
    /// How long a write may take by the estimate; nil without a bound. Source: rest-api.md §4.
    var seconds: Int? {
        switch self {
        case .tiny: 1
        case .small: 10
        case .medium: 30
        case .large: 60
        case .unlimited: nil
        }
    }
}

extension Loop {
    /// Checks that a write does not change more than its client allows.
    ///
    /// - Throws: 400 if it does.
    func requireSize(_ request: DataRequest, _ content: RequestBody) throws(RESTError) {
        guard let limit = request.call.writeSizeLimit, let seconds = limit.seconds,
            let state = request.namespace.newest()?.state
        else { return }
        let byteLimit = seconds * services.configuration.limits.writeBytesPerSecond
        let size = WriteSize(content, of: request.call, in: state)
        guard size.weight > byteLimit else { return }
        throw .tooLargeToWrite(limit, weight: size.weight, byteLimit: byteLimit)
    }
}
