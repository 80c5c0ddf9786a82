// Where data goes: standard output, a device or a pipe, or a file that appears only when it is complete.

import Glibc
import HearthClient

/// Takes data. A file is written beside its final name, synced and renamed by `finish()`; without that it is
/// removed. What is no file, such as `/dev/null` or a pipe, is written to and never replaced.
final class OutputFile {
    private let descriptor: Int32
    /// As it was given; nil for standard output.
    private let path: String?
    /// The names of a file now and in the end; nil where nothing is renamed.
    private let names: (partial: String, final: String)?
    private var lastByte: UInt8?
    private var isFinished = false
    /// Bytes taken so far.
    private(set) var byteCount = 0

    /// Writes to `path`, or to standard output when it is nil or `-`. A link stays, and what it leads to is
    /// replaced.
    init(_ path: String?) throws(CommandFailure) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            self.path = nil
            names = nil
            return
        }
        self.path = path
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            names = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .failed("cannot write \(path): \(systemMessage(errno))") }
            return
        }
        let final = isThere ? OutputFile.withoutLinks(path) : path
        let partial = "\(final).\(getpid()).part"
        names = (partial, final)
        descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .failed("cannot write \(partial): \(systemMessage(errno))") }
    }

    deinit {
        guard path != nil, !isFinished, descriptor >= 0 else { return }
        close(descriptor)
        if let names { unlink(names.partial) }
    }

    /// Where the links on the way to something that is there lead.
    private static func withoutLinks(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Takes the next bytes; an error is one of this machine.
    func take(_ bytes: UnsafeRawBufferPointer) throws(ClientError) {
        let code = writeAll(bytes, to: descriptor)
        guard code == 0 else { throw .local(OutputFile.text(code, path)) }
        lastByte = bytes.last ?? lastByte
        byteCount += bytes.count
    }

    /// Ends a text with a line end, if it has none.
    func endLine() throws(CommandFailure) {
        guard lastByte != UInt8(ascii: "\n") else { return }
        let line: [UInt8] = [UInt8(ascii: "\n")]
        let code = line.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard code == 0 else { throw .failed(OutputFile.text(code, path)) }
    }

    /// Makes the file appear under its name, safely on the disk.
    func finish() throws(CommandFailure) {
        guard let path else { return }
        if let names {
            guard fsync(descriptor) == 0, rename(names.partial, names.final) == 0 else {
                throw .failed("cannot write \(path): \(systemMessage(errno))")
            }
        }
        isFinished = true
        close(descriptor)
    }

    private static func text(_ code: Int32, _ path: String?) -> String {
        if path == nil, code == EPIPE { return brokenPipe }
        return "cannot write to \(path ?? "standard output"): \(systemMessage(code))"
    }

    /// Whoever read the output has gone; the program ends without a word.
    static let brokenPipe = "broken pipe"
}
