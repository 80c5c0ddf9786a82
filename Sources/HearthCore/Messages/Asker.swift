// Who asks, and whether the rules have a say in it.

/// Who asks, as far as it matters for what may be done.
public enum Asker: Hashable, Sendable {
    /// Rules do not judge him.
    case administrator
    /// Everybody else, signed in or not. Where no rules were ever stored, only those may who have come
    /// over an address that this machine's programs alone can reach: for them `isLocal` is true.
    case client(Auth?, isLocal: Bool)
}
