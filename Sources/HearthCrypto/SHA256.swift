// SHA-256 as OpenSSL computes it, in one go or piece by piece.
import COpenSSL

/// A SHA-256 computation (FIPS 180-4) that is fed piece by piece.
///
/// It owns an OpenSSL context, so it cannot be copied; `finish()` ends it.
public struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// Begins a digest of nothing yet.
    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, SHA256.algorithm, nil) == 1 else {
            fatalError("OpenSSL cannot begin a SHA-256 digest; memory may have run out")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes in the bytes of `buffer`, which may be empty and is not kept.
    public mutating func update(_ buffer: UnsafeRawBufferPointer) {
        let result = EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
        precondition(result == 1, "OpenSSL refused more bytes for a SHA-256 digest")
    }

    /// Takes in `bytes`.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Takes in the UTF-8 of `text`.
    public mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    /// Ends the computation and returns the digest of all that was taken in.
    public consuming func finish() -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { output in
            let result = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(result == 1, "OpenSSL could not finish a SHA-256 digest")
            return Digest(loading: UnsafeRawBufferPointer(output))
        }
    }

    /// Returns the digest of the bytes of `buffer`.
    public static func digest(of buffer: UnsafeRawBufferPointer) -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { output in
            let result = EVP_Digest(
                buffer.baseAddress, buffer.count, output.baseAddress, nil, SHA256.algorithm, nil)
            precondition(result == 1, "OpenSSL could not compute a SHA-256 digest")
            return Digest(loading: UnsafeRawBufferPointer(output))
        }
    }

    /// Returns the digest of `bytes`.
    public static func digest(of bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { digest(of: $0) }
    }

    /// Returns the digest of the UTF-8 of `text`.
    public static func digest(of text: String) -> Digest {
        var text = text
        return text.withUTF8 { digest(of: UnsafeRawBufferPointer($0)) }
    }

    /// Looked up once, since OpenSSL 3 searches its providers at each use of `EVP_sha256()`.
    // Safe to share between threads: OpenSSL never changes a fetched algorithm, and this one is never freed.
    nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            fatalError("OpenSSL offers no SHA-256; check its configuration (openssl list -digest-algorithms)")
        }
        return algorithm
    }()
}
