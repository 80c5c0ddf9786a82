// Tokens that were verified a short while ago, so that each request need not check the signature again.
public import HearthCrypto

/// Verified tokens by the digest of their text, the least recently used making room for new ones.
///
///     newest ⇄ … ⇄ oldest      a chain through the slots, by index
///
/// A plain value without a lock: each loop has its own. Only tokens that were found right enter it, so that
/// nobody without one can push others out.
/// - Complexity: O(1) for each look-up and entry.
public struct TokenCache: Sendable {
    private struct Slot {
        let digest: SHA256.Digest
        let token: VerifiedToken
        var newer: Int?
        var older: Int?
    }

    /// How many tokens are kept at most; one takes up to some 50 KB, usually 2.
    public let capacity: Int
    private var slots: [Slot] = []
    private var places: [SHA256.Digest: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    /// An empty cache.
    ///
    /// - Precondition: `capacity` is at least 1.
    public init(capacity: Int = 4_096) {
        precondition(capacity > 0, "a cache holds at least one token")
        self.capacity = capacity
    }

    /// How many tokens are kept.
    public var count: Int { slots.count }

    /// Verifies `text` at `now` in milliseconds since 1970: looks here first, keeps what `verifier` takes.
    ///
    /// - Precondition: the verifier takes all that earlier ones took whose time is not over; else begin with
    ///   an empty cache.
    /// - Parameter accepts: whether a sound token still stands for somebody. It is asked once; who later says
    ///   otherwise must call `removeTokens(of:)`.
    /// - Throws: why the token is not taken, also if it was kept and its time ran out meanwhile; `expired` if
    ///   it is not accepted.
    public mutating func verify(
        _ text: String, by verifier: TokenVerifier, at now: Int64,
        accepts: (VerifiedToken) -> Bool = { _ in true }
    ) throws(TokenRefusal) -> VerifiedToken {
        let (token, isAccepted) = try check(text, by: verifier, at: now, accepts: accepts)
        guard isAccepted else { throw .expired }
        return token
    }

    /// Like `verify`, for those who want to know whom a token stood for that nobody accepts any more. Such a
    /// token is never kept.
    public mutating func check(
        _ text: String, by verifier: TokenVerifier, at now: Int64, accepts: (VerifiedToken) -> Bool
    ) throws(TokenRefusal) -> (token: VerifiedToken, isAccepted: Bool) {
        // Digests are not cheap for long texts, and those are refused anyway.
        guard text.utf8.count <= TokenVerifier.byteLimit else { throw .tooLong }
        let digest = SHA256.digest(of: text)
        if let token = token(for: digest, at: now) { return (token, true) }
        let token = try verifier.verify(text, at: now)
        let isAccepted = accepts(token)
        if isAccepted { keep(token, for: digest) }
        return (token, isAccepted)
    }

    /// The token of that digest, unless its time is over at `now`, whereupon it is dropped.
    public mutating func token(for digest: SHA256.Digest, at now: Int64) -> VerifiedToken? {
        guard let place = places[digest] else { return nil }
        let token = slots[place].token
        guard token.isCurrent(at: now) else {
            remove(at: place)
            return nil
        }
        unchain(place)
        chainAsNewest(place)
        return token
    }

    /// Keeps a token; the least recently used one makes room for it.
    public mutating func keep(_ token: VerifiedToken, for digest: SHA256.Digest) {
        if let place = places[digest] { remove(at: place) }
        if slots.count == capacity, let oldest { remove(at: oldest) }
        slots.append(Slot(digest: digest, token: token, newer: nil, older: nil))
        places[digest] = slots.count - 1
        chainAsNewest(slots.count - 1)
    }

    /// Drops the tokens of a user whose sessions were ended.
    ///
    /// - Complexity: O(n) in the number of tokens.
    public mutating func removeTokens(of uid: String) {
        for place in slots.indices.reversed() where slots[place].token.uid.utf8.elementsEqual(uid.utf8) {
            remove(at: place)
        }
    }

    /// Drops everything, as a change of keys demands.
    public mutating func removeAll() {
        self = TokenCache(capacity: capacity)
    }

    /// Empties a slot and moves the last one there, so that slots have no gaps.
    private mutating func remove(at place: Int) {
        unchain(place)
        places[slots[place].digest] = nil
        let last = slots.count - 1
        if place != last {
            slots[place] = slots[last]
            places[slots[place].digest] = place
            relink(place)
        }
        slots.removeLast()
    }

    private mutating func unchain(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if let newer { slots[newer].older = older } else { newest = older }
        if let older { slots[older].newer = newer } else { oldest = newer }
    }

    private mutating func chainAsNewest(_ place: Int) {
        slots[place].newer = nil
        slots[place].older = newest
        newest = place
        relink(place)
    }

    /// Lets the neighbours of a slot, and the ends of the chain, point to where it stands.
    private mutating func relink(_ place: Int) {
        if let newer = slots[place].newer { slots[newer].older = place } else { newest = place }
        if let older = slots[place].older { slots[older].newer = place } else { oldest = place }
    }
}
