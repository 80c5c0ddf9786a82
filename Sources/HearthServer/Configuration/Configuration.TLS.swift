// What a server shows to clients that want to be sure of it.

extension Configuration {
    /// The files of TLS, both PEM. They are read again when they change.
    public struct TLS: Sendable, Equatable {
        /// The server's certificate, then those that lead to its authority.
        public var certificateFile: String
        /// The private key of the certificate, without a passphrase.
        public var keyFile: String

        /// Names the files.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }
}
