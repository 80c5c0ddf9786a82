// Bytes that nobody can guess: tokens, epochs and the random part of push IDs come from here.
import COpenSSL
import Synchronization

/// OpenSSL's random generator, seeded by the kernel; safe to use from any thread.
///
/// It has the form of a `RandomNumberGenerator`, which is the seam for chance: simulations pass a seeded one.
/// A machine that can give no randomness stops the process, since every secret made after that would be weak.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    /// Some words drawn at once: a draw takes thousands of instructions, however little is drawn. Copies of a
    /// generator share them, so that none is ever given out twice.
    private final class Stock: Sendable {
        private struct Words {
            var words = [UInt64](repeating: 0, count: Stock.size)
            var count = 0

            mutating func take() -> UInt64 {
                if count == 0 {
                    words.withUnsafeMutableBytes { SecureRandom.fill($0) }
                    count = words.count
                }
                count -= 1
                defer { words[count] = 0 }
                return words[count]
            }
        }

        private static let size = 32

        private let words = Mutex(Words())

        func take() -> UInt64 { words.withLock { $0.take() } }
    }

    private let stock = Stock()

    /// Makes a generator.
    public init() {}

    /// Returns 64 random bits; where many bytes are needed, `bytes(_:)` is cheaper.
    public mutating func next() -> UInt64 { stock.take() }

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
