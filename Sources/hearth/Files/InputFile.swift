// Files and standard input as the body of a request.

import Glibc
import HearthClient

/// An open file, closed when it goes out of use; or standard input.
struct InputFile: ~Copyable {
    let descriptor: Int32
    /// What messages call it.
    let name: String
    /// Bytes in it, if it is a regular file.
    let length: Int?

    /// Opens a file; `-` is standard input.
    static func open(_ path: String) throws(CommandFailure) -> InputFile {
        guard path != "-" else { return InputFile(descriptor: STDIN_FILENO, name: "standard input") }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("cannot open \(path): \(systemMessage(errno))") }
        let file = InputFile(descriptor: descriptor, name: path)
        guard !file.isDirectory else { throw .failed("cannot read \(path): it is a directory") }
        return file
    }

    private let isDirectory: Bool

    private init(descriptor: Int32, name: String) {
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        self.descriptor = descriptor
        self.name = name
        isDirectory = isKnown && status.st_mode & S_IFMT == S_IFDIR
        // Standard input may stand somewhere in the middle of a file.
        let isWhole = isKnown && status.st_mode & S_IFMT == S_IFREG && descriptor != STDIN_FILENO
        length = isWhole ? Int(status.st_size) : nil
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The file as the body of a request.
    func body(progress: ((Int) -> Void)? = nil) -> RequestBody {
        .file(FileBody(descriptor: descriptor, name: name, length: length, progress: progress))
    }
}
