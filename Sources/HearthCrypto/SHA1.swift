// SHA-1 as OpenSSL computes it, for the two places where others' protocols ask for it.
import COpenSSL

/// A SHA-1 computation (FIPS 180-4) that is fed piece by piece.
///
/// It protects nothing: collisions can be made. It is here because the realtime protocol compares values by
/// it (wire-protocol.md §7) and WebSocket's handshake is answered with it (RFC 6455 §4.2.2). It owns an
/// OpenSSL context, so it cannot be copied; `finish()` ends it.
public struct SHA1: ~Copyable {
    private let context: OpaquePointer

    /// Begins a digest of nothing yet.
    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, SHA1.algorithm, nil) == 1 else {
            fatalError("OpenSSL cannot begin a SHA-1 digest; memory may have run out")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes in the bytes of `buffer`, which may be empty and is not kept.
    public mutating func update(_ buffer: UnsafeRawBufferPointer) {
        let result = EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
        precondition(result == 1, "OpenSSL refused more bytes for a SHA-1 digest")
    }

    /// Takes in `bytes`.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Ends the computation and returns the digest of all that was taken in.
    public consuming func finish() -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { output in
            let result = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(result == 1, "OpenSSL could not finish a SHA-1 digest")
            return Digest(loading: UnsafeRawBufferPointer(output))
        }
    }

    /// Returns the digest of the bytes of `buffer`.
    public static func digest(of buffer: UnsafeRawBufferPointer) -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { output in
            let result = EVP_Digest(
                buffer.baseAddress, buffer.count, output.baseAddress, nil, SHA1.algorithm, nil)
            precondition(result == 1, "OpenSSL could not compute a SHA-1 digest")
            return Digest(loading: UnsafeRawBufferPointer(output))
        }
    }

    /// Returns the digest of `bytes`.
    public static func digest(of bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { digest(of: $0) }
    }

    /// Looked up once, since OpenSSL 3 searches its providers at each use of `EVP_sha1()`.
    // Safe to share between threads: OpenSSL never changes a fetched algorithm, and this one is never freed.
    nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA1", nil) else {
            fatalError("OpenSSL offers no SHA-1; check its configuration (openssl list -digest-algorithms)")
        }
        return algorithm
    }()
}

extension SHA1 {
    /// A finished SHA-1 digest: 20 bytes, held without an allocation.
    public struct Digest: Hashable, Sendable {
        /// How many bytes a digest has.
        public static let byteCount = 20

        private var words: (UInt32, UInt32, UInt32, UInt32, UInt32)

        init(loading buffer: UnsafeRawBufferPointer) {
            precondition(buffer.count == Digest.byteCount, "a SHA-1 digest has 20 bytes")
            func word(_ index: Int) -> UInt32 {
                buffer.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
            }
            words = (word(0), word(1), word(2), word(3), word(4))
        }

        /// The 20 bytes in the order of the standard.
        public var bytes: [UInt8] {
            withBytes { Array($0) }
        }

        /// Calls `body` with the 20 bytes, which must not be kept beyond the call.
        public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            withUnsafeBytes(of: words, body)
        }

        /// Compares all 20 bytes, in no particular time.
        public static func == (left: Digest, right: Digest) -> Bool {
            left.words == right.words
        }

        /// Feeds the first words alone: the bytes of a digest are already as good as random.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(words.0)
            hasher.combine(words.1)
        }
    }
}
