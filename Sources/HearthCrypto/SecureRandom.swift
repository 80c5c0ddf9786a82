// Bytes that nobody can guess: tokens, epochs and the random part of push IDs come from here.
import COpenSSL

/// OpenSSL's random generator, seeded by the kernel; safe to use from any thread.
///
/// It has the form of a `RandomNumberGenerator`, which is the seam for chance: simulations pass a seeded one.
/// A machine that can give no randomness stops the process, since every secret made after that would be weak.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    /// Makes the generator, which keeps no state of its own.
    public init() {}

    /// Returns 64 random bits, for about 0.3 µs; where many bytes are needed, `bytes(_:)` is cheaper.
    public mutating func next() -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { SecureRandom.fill($0) }
        return word
    }

    /// Returns `count` random bytes.
    ///
    /// - Precondition: `count` is from 0 to 2^31 - 1.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            fill(UnsafeMutableRawBufferPointer(buffer)[..<count])
            initializedCount = count
        }
    }

    private static func fill(_ slice: Slice<UnsafeMutableRawBufferPointer>) {
        fill(UnsafeMutableRawBufferPointer(rebasing: slice))
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        guard RAND_bytes(start, Int32(buffer.count)) == 1 else {
            fatalError("OpenSSL can give no random bytes; is /dev/urandom readable?")
        }
    }
}
