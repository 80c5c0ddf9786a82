// Where data goes: standard output, or a file that appears only when it is complete.

import Glibc
import HearthClient

/// Takes data. A file is written beside its final name, synced and renamed by `finish()`; without that it is
/// removed.
final class OutputFile {
    private let descriptor: Int32
    private let path: String?
    private let partialPath: String
    private var lastByte: UInt8?
    private var isFinished = false
    /// Bytes taken so far.
    private(set) var byteCount = 0

    /// Writes to `path`, or to standard output when it is nil or `-`.
    init(_ path: String?) throws(CommandFailure) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            self.path = nil
            partialPath = ""
            return
        }
        self.path = path
        partialPath = "\(path).\(getpid()).part"
        descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .failed("cannot write \(partialPath): \(systemMessage(errno))") }
    }

    deinit {
        guard path != nil, !isFinished, descriptor >= 0 else { return }
        close(descriptor)
        unlink(partialPath)
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
        guard fsync(descriptor) == 0, rename(partialPath, path) == 0 else {
            throw .failed("cannot write \(path): \(systemMessage(errno))")
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
