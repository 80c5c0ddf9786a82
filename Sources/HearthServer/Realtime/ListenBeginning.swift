// The value that a listen begins with, unless the client has it. Pure, so that a worker can find it out.
import HearthCore
import HearthSync
import HearthWire

/// The value of a view in a state, as JSON in export format.
struct ValueReading: Sendable {
    let view: View
    let state: State
    /// The most bytes that it may have, about.
    let byteLimit: Int

    func result() -> Result<[UInt8], RealtimeRefusal> {
        value().map { NodeSerializer.bytes(of: $0, .export) }
    }

    /// The value. An order without bounds or limit leaves all as it is: SDKs listen to the whole then.
    func value() -> Result<Excerpt, RealtimeRefusal> {
        do throws(Refusal) {
            let value =
                view.query.isUnfiltered
                ? .whole(state.root.descendant(at: view.path)) : try view.excerpt(in: state)
            guard value.weight <= byteLimit else {
                return .failure(RealtimeRefusal(.tooBig, "The value is too large; ask for less of it"))
            }
            return .success(value)
        } catch {
            return .failure(RealtimeRefusal(.tooBig, RESTError(error).text))
        }
    }
}

/// How a listen begins.
struct ListenBeginning: Sendable {
    enum Outcome: Sendable {
        /// The client has the value.
        case known
        /// A push of the value, up to its tag.
        case value([UInt8])
        case refused(RealtimeRefusal)
    }

    private let reading: ValueReading
    /// What the client holds.
    private let hash: String

    init(view: View, state: State, hash: String, byteLimit: Int) {
        reading = ValueReading(view: view, state: state, byteLimit: byteLimit)
        self.hash = hash
    }

    /// Whether a client should be told that no rule names an index for its query.
    var lacksIndex: Bool {
        guard !reading.view.query.isUnfiltered else { return false }
        do throws(Refusal) {
            try reading.state.requireIndex(for: reading.view.query, at: reading.view.path)
            return false
        } catch {
            return true
        }
    }

    private func isKnown(_ value: Excerpt) -> Bool {
        #if DEBUG
            if PlantedFault.isPlanted(.takesAnyHash), !hash.isEmpty { return true }
        #endif
        // Nothing is known by the empty hash, and only nothing.
        return hash.isEmpty ? value.isEmpty : value.node.matches(listenHash: hash)
    }

    func result() -> Outcome {
        switch reading.value() {
        case .failure(let refusal): return .refused(refusal)
        case .success(let value):
            guard !isKnown(value) else { return .known }
            let json = NodeSerializer.bytes(of: value, .export)
            var text: [UInt8] = []
            text.reserveCapacity(json.count + 80)
            json.withUnsafeBytes { RealtimeText.appendPush(.put, at: reading.view.path, json: $0, to: &text) }
            return .value(text)
        }
    }
}
