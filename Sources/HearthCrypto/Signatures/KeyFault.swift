// Why a text or some numbers are no key that we use.

/// Why no key could be made; it leaves out the text itself, which may be a secret.
public enum KeyFault: Error, Equatable, CustomStringConvertible {
    /// The text has no `-----BEGIN …-----`.
    case noBlock
    /// A block that does not end, has headers (as encrypted keys do) or is no base64.
    case damagedBlock
    /// A block of another kind than asked for.
    case wrongBlock(expected: String)
    /// The bytes are no key, or none of a consistent kind.
    case unreadable
    /// Neither RSA nor a key on P-256.
    case wrongKind
    /// An RSA modulus of too few or too many bits.
    case modulusSize(bits: Int)
    /// An RSA exponent that is even, 1 or beyond 64 bits.
    case weakExponent
    /// A coordinate that is not of 32 bytes.
    case coordinateSize(byteCount: Int)

    /// One sentence with what to do about it.
    public var description: String {
        switch self {
        case .noBlock:
            "there is no PEM block; a key file begins with a line such as -----BEGIN PUBLIC KEY-----"
        case .damagedBlock:
            "a PEM block is damaged or encrypted; write it out again, without a passphrase"
        case .wrongBlock(let expected):
            "the PEM block is of another kind; expected \(expected)"
        case .unreadable:
            "the bytes are no key; compare the file with its source"
        case .wrongKind:
            "neither an RSA key nor one on the curve P-256; make another one for RS256 or ES256"
        case .modulusSize(let bits):
            "an RSA key of \(bits) bits; it must have \(PublicKey.modulusBits.lowerBound) to"
                + " \(PublicKey.modulusBits.upperBound)"
        case .weakExponent:
            "the RSA key's public exponent is unsafe; make a key with the exponent 65537"
        case .coordinateSize(let count):
            "a coordinate of \(count) bytes; those on P-256 have 32, leading zeros included"
        }
    }
}
