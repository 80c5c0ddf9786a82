// The file with which a back end signs custom tokens.

import Glibc
import HearthCore
import HearthCrypto

/// A fresh key pair in the form that Google's Admin SDKs read.
struct ServiceAccount {
    private let name: String
    private let project: String
    private let key = PrivateKey.generate(.rs256)

    init(name: String, project: String) {
        self.name = name
        self.project = project
    }

    /// The half that the server keeps, as PEM.
    var publicKey: String { key.publicKey.pem }

    /// The file: a secret.
    var json: [UInt8] {
        let id = SHA256.digest(of: key.publicKey.subjectPublicKeyInfo).description.prefix(40)
        let fields = [
            "type": "service_account", "project_id": project, "private_key_id": String(id),
            "private_key": key.pem, "client_email": name, "client_id": "hearth",
            "token_uri": "https://oauth2.googleapis.com/token",
        ]
        return UserService.json(.object(fields.mapValues { .leaf(.string($0)) })) + [0x0A]
    }
}

/// A file that its owner alone can read.
enum PrivateFile {
    /// Writes a new file with mode 0600.
    ///
    /// - Throws: also if there is a file of that name already.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .failed("cannot make the file \(path): \(systemMessage(errno))")
        }
        defer { close(descriptor) }
        let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard code == 0 else { throw .failed("cannot write \(path): \(systemMessage(code))") }
    }
}
