// Why a request is not done: the client may not, or asked for what cannot be.

/// Why a request is not done: the client may not, or asked for what cannot be. Nothing has changed then.
public enum Refusal: Error, Hashable, Sendable {
    /// The rules do not allow it.
    case permissionDenied
    /// The value would stand deeper than `Path.depthLimit` levels.
    case tooDeep
    /// What stands there is not what the client expected.
    case conditionFailed
    /// A query orders by something that no `.indexOn` names: the rule's text for it and the place.
    case indexMissing(index: String, path: Path)
    /// The work or memory for it would be beyond a limit; the text says which.
    case tooLarge(String)
    /// The rules text cannot be read: `LINE:COL: message`.
    case invalidRules(String)
}
