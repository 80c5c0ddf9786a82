// Comparing secrets so that the time taken does not tell how much of a guess was right.
import COpenSSL

/// Returns whether `left` and `right` hold the same bytes, in a time that depends on their count alone.
///
/// Different counts answer at once, which tells the length; where that is a secret too, compare digests.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { leftBytes in
        right.withUnsafeBytes { rightBytes in
            sameBytes(leftBytes, rightBytes)
        }
    }
}

/// Returns whether two digests are equal, in constant time.
///
/// Tokens are compared by their digests: neither content nor length can be learned from the time it takes.
public func constantTimeEqual(_ left: SHA256.Digest, _ right: SHA256.Digest) -> Bool {
    left.withBytes { leftBytes in
        right.withBytes { rightBytes in
            sameBytes(leftBytes, rightBytes)
        }
    }
}

/// - Precondition: both hold the same number of bytes.
private func sameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
    return CRYPTO_memcmp(leftStart, rightStart, left.count) == 0
}
