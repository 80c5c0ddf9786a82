// The 32 bytes that a SHA-256 computation ends in, held without an allocation.

extension SHA256 {
    /// A finished SHA-256 digest: 32 bytes in four words, so that digests can be kept and compared cheaply.
    ///
    /// `==` stops at the first difference. Where a secret is checked, use `constantTimeEqual` instead.
    public struct Digest: Hashable, Sendable, CustomStringConvertible {
        /// How many bytes a digest has.
        public static let byteCount = 32

        private var words: (UInt64, UInt64, UInt64, UInt64)

        /// Takes exactly 32 bytes out of `buffer`.
        ///
        /// - Precondition: `buffer` holds 32 bytes.
        init(loading buffer: UnsafeRawBufferPointer) {
            precondition(buffer.count == Digest.byteCount, "a SHA-256 digest has 32 bytes")
            words = (
                buffer.loadUnaligned(as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }

        /// Takes a digest that was stored before, or returns nil when `bytes` are not exactly 32.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Digest.byteCount else { return nil }
            self = bytes.withUnsafeBytes { Digest(loading: $0) }
        }

        /// The 32 bytes in the order of the standard.
        public var bytes: [UInt8] {
            withBytes { Array($0) }
        }

        /// The 64 lower-case hexadecimal digits.
        public var description: String {
            let digits = Array("0123456789abcdef".utf8)
            let text = withBytes { bytes in
                bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            }
            return String(decoding: text, as: UTF8.self)
        }

        /// Calls `body` with the 32 bytes, which must not be kept beyond the call.
        public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            withUnsafeBytes(of: words, body)
        }

        /// Compares all 32 bytes, in no particular time.
        public static func == (left: Digest, right: Digest) -> Bool {
            left.words == right.words
        }

        /// Feeds the first word alone: the bytes of a digest are already as good as random.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(words.0)
        }
    }
}
