// Whose certificates a client believes.

internal import HearthCrypto

/// The authorities whose word counts for who a server is.
public struct Trust: Sendable {
    private let given: TLSClientContext?

    /// Those that the machine believes.
    public static var system: Trust { Trust() }

    private init() {
        given = nil
    }

    /// What sessions begin with. Those of the machine are read only here, since that takes some time.
    var context: TLSClientContext { given ?? TLSClientContext() }

    /// These certificates alone, whether they are authorities' or servers' own.
    ///
    /// - Parameters:
    ///   - bytes: certificates as PEM.
    ///   - name: of the file that they come from, for the error.
    /// - Throws: `ClientError.local` when there are none or one is damaged.
    public init(certificates bytes: [UInt8], named name: String) throws(ClientError) {
        do throws(TLSIdentityFault) {
            given = try TLSClientContext(trusting: bytes)
        } catch {
            throw .local("\(name): \(error)")
        }
    }
}
