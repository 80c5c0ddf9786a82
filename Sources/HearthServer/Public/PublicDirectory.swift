// The directory whose files everybody may read, and the only way in.
import Glibc
import HearthCrypto

/// A directory of files for everybody.
///
/// A path is opened first and judged by where it has really led: not out of the directory, not to a hidden
/// file, not to what the server keeps for itself. So no symbolic link, and none that is changed at the same
/// time, leads further than a path can. The directory may itself be a symbolic link that is pointed elsewhere
/// while the server runs.
struct PublicDirectory: Sendable {
    /// What a path leads to.
    enum Finding: Sendable {
        case file(PublicFile)
        case directory
        /// Nothing that may be read.
        case nothing
        case failure(SystemFailure)
    }

    /// As it was configured.
    let path: String
    /// The real paths of what must not be read, whatever it is.
    private let withheld: [String]

    /// Checks the directory that the configuration names; nil if it names none.
    ///
    /// - Throws: `StartFailure` if it is no directory that can be read, or holds what must stay private.
    init?(_ configuration: Configuration) throws(StartFailure) {
        guard let path = configuration.publicDirectory else { return nil }
        self.path = path
        let secrets = configuration.secretPlaces
        withheld = secrets.map { RealPath.of($0.path) }
        try check(try PublicDirectory.place(of: path), secrets)
    }

    /// Where the directory really lies.
    private static func place(of path: String) throws(StartFailure) -> String {
        do throws(SystemFailure) {
            let root = try open(path)
            guard access(path, R_OK | X_OK) == 0 else { throw SystemFailure("access", path) }
            return try RealPath.of(descriptor: root.number)
        } catch {
            throw .configuration(
                "--public: cannot serve the files of \(path): \(SystemFailure.text(of: error.code))")
        }
    }

    private func check(_ place: String, _ secrets: [SecretPlace]) throws(StartFailure) {
        for (secret, real) in zip(secrets, withheld) where RealPath.isInside(real, place) {
            throw .configuration(
                "--public: \(path) holds \(secret.name) \(secret.path), which everybody could read then; "
                    + "keep what is public in a directory of its own")
        }
        for (secret, real) in zip(secrets, withheld) where RealPath.isInside(place, real) {
            throw .configuration(
                "--public: \(path) lies in \(secret.name) \(secret.path); "
                    + "keep what is public in a directory of its own")
        }
    }

    /// Finds what a path leads to. Blocks; for a worker.
    func find(_ path: PublicPath) -> Finding {
        do throws(SystemFailure) {
            return try look(for: path)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG: return .nothing
            default: return .failure(error)
            }
        }
    }

    private func look(for wanted: PublicPath) throws(SystemFailure) -> Finding {
        let root: Descriptor
        do throws(SystemFailure) {
            root = try PublicDirectory.open(path)
        } catch {
            // Not for the client to find out: the directory itself is gone.
            return .failure(error)
        }
        let name = wanted.file
        guard !name.isEmpty else { return .directory }
        let number = openat(root.number, name, PublicDirectory.pathOnly | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("openat", name) }
        let found = Descriptor(owning: number)
        let place = try RealPath.of(descriptor: found.number)
        guard isReadable(place, below: try RealPath.of(descriptor: root.number)) else { return .nothing }
        var status = stat()
        guard fstat(found.number, &status) == 0 else { throw SystemFailure("fstat", name) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG: return .file(try PublicFile(found.number, status, named: name))
        default: return .nothing
        }
    }

    private func isReadable(_ place: String, below root: String) -> Bool {
        guard place != root, RealPath.isInside(place, root) else { return false }
        let names = place.dropFirst(root.count).split(separator: "/")
        return !names.contains { $0.hasPrefix(".") } && !withheld.contains { RealPath.isInside(place, $0) }
    }

    /// `O_PATH`: nothing is opened but the way, so that no pipe and no device wakes up. Its value is the same
    /// on all of Linux.
    private static let pathOnly: Int32 = 0o10_000_000

    private static func open(_ path: String) throws(SystemFailure) -> Descriptor {
        let number = Glibc.open(path, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("open", path) }
        return Descriptor(owning: number)
    }
}

/// A file or directory that must not be public.
struct SecretPlace: Sendable {
    /// What it is, for messages.
    let name: String
    let path: String
}

extension Configuration {
    /// What must not be public.
    fileprivate var secretPlaces: [SecretPlace] {
        var places: [SecretPlace] = []
        if case .directory(let path) = storage {
            places.append(SecretPlace(name: "the data directory", path: path))
        }
        if let path = adminTokenFile {
            places.append(SecretPlace(name: "the administrator's token", path: path))
        }
        for path in [tokens.secretFile, tokens.legacySecretFile].compactMap({ $0 }) {
            places.append(SecretPlace(name: "the secret", path: path))
        }
        return places
    }
}

/// A file of the public directory, open.
struct PublicFile: Sendable {
    let file: SystemFile
    let name: String
    let byteCount: Int
    /// Seconds since 1970.
    let modified: Int
    /// Changes when the file does, as far as the file system tells.
    let tag: String

    /// Opens what the descriptor of a way leads to.
    fileprivate init(_ way: Int32, _ status: stat, named name: String) throws(SystemFailure) {
        let number = Glibc.open("/proc/self/fd/\(way)", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("open", name) }
        file = SystemFile(owning: number, name)
        self.name = name
        byteCount = Int(status.st_size)
        modified = Int(status.st_mtim.tv_sec)
        let marks = [
            Int(status.st_dev), Int(status.st_ino), Int(status.st_size), Int(status.st_mtim.tv_sec),
            Int(status.st_mtim.tv_nsec), Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec),
        ]
        let digest = SHA256.digest(of: marks.map { "\($0)" }.joined(separator: " "))
        tag = String(Base64.url.encode(digest.bytes).prefix(22))
    }
}
