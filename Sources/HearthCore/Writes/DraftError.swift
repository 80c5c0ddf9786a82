// Why a body cannot become a value.
public import HearthJSON

/// Why a body cannot become a value, and where. Nothing of the body but ASCII punctuation is repeated in
/// its text.
public enum DraftError: Error, Equatable, Sendable {
    /// The body is no JSON, or larger than the reader's limits.
    case json(JSONError)
    /// It is JSON, but nothing that can be stored.
    case refused(Reason, at: JSONPlace)

    /// What cannot be stored.
    public enum Reason: Equatable, Sendable {
        /// A key breaks the rule that the error names.
        case invalidKey(KeyError)
        /// A value stands at more than `Path.depthLimit` levels, path and value together.
        case tooDeep
        /// An array has more elements than keys of 32 bits can name.
        case tooManyElements
        /// `.value` stands beside children or beside `.sv`.
        case valueBesideOthers
        /// `.sv` stands beside children or beside `.value`.
        case serverValueBesideOthers
        /// `.value` is neither a string, a number, a boolean, null nor a server value.
        case invalidValue
        /// `.priority` is neither a string, a number, null nor a server value.
        case invalidPriority
        /// `.sv` is neither `"timestamp"` nor `{"increment": <number>}`.
        case unknownServerValue
        /// The body of an update is no object.
        case notAnObject
        /// The key of an update names no place below the written one.
        case emptyPath
        /// Two keys of an update name a place and one below it. Both are read from the written place.
        case overlappingPaths(Path, Path)
    }
}

extension DraftError: CustomStringConvertible {
    /// Place and reason in one line.
    public var description: String {
        switch self {
        case .json(let error): "\(error)"
        case .refused(let reason, let place): "\(place): \(reason)"
        }
    }
}

extension DraftError.Reason: CustomStringConvertible {
    /// The reason without the place.
    public var description: String {
        switch self {
        case .invalidKey(let error): "\(error)"
        case .tooDeep: "a value stands deeper than \(Path.depthLimit) levels, path and value together"
        case .tooManyElements: "an array has more than \(Int32.max) elements"
        case .valueBesideOthers: "'.value' must not stand beside other members than '.priority'"
        case .serverValueBesideOthers: "'.sv' must not stand beside other members than '.priority'"
        case .invalidValue: "'.value' must be a string, a number, a boolean, null or a server value"
        case .invalidPriority: "'.priority' must be a string, a number, null or a server value"
        case .unknownServerValue: "'.sv' must be \"timestamp\" or {\"increment\": <number>}"
        case .notAnObject: "an update must be a JSON object"
        case .emptyPath: "the key of an update must name a place below the written one"
        case .overlappingPaths(let upper, let lower):
            "an update must not write both \(upper) and \(lower), which lies below it"
        }
    }
}
