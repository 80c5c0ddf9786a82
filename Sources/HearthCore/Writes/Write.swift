// What a client asks to be changed.

/// What a client asks to be changed.
public enum Write: Sendable {
    /// Replaces value and priority at a place.
    case set(Path, Draft)
    /// Replaces several places at or below one, all or none; each path is read from the first one.
    case update(Path, [(path: Path, draft: Draft)])
    /// Changes just the priority of a place.
    case prioritize(Path, Draft.Placeholder.Resolution)
    /// Replaces the security rules, given as UTF-8 that was checked before.
    case rules([UInt8])
}

extension Draft.Placeholder {
    /// A priority as a client sent it.
    public enum Resolution: Hashable, Sendable {
        /// It is known.
        case known(Priority)
        /// The commit fills it in.
        case serverValue(ServerValue)
    }
}
