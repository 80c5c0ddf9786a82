// Sends a file of any size as the body of a request, and stops when the server answers early.

import Glibc

/// One file on its way.
struct FileSending {
    private let file: FileBody
    private let exchange: Exchange
    private var sent = 0

    /// Room for the size of a chunk in front of its bytes and its end behind them.
    private static let margin = 16
    private static let pieceSize = 256 << 10

    /// Prepares to send `file` as the body of `exchange`.
    init(_ file: FileBody, over exchange: Exchange) {
        self.file = file
        self.exchange = exchange
    }

    /// Sends everything; returns false when the server answers or goes away first.
    ///
    /// - Throws: `local` when the file cannot be read or is shorter than it was said to be; the connection
    ///   must be closed then.
    mutating func run() throws(ClientError) -> Bool {
        let storage = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FileSending.pieceSize + 2 * FileSending.margin, alignment: 16)
        defer { storage.deallocate() }
        let piece = UnsafeMutableRawBufferPointer(
            rebasing: storage[FileSending.margin..<FileSending.margin + FileSending.pieceSize])
        while file.length.map({ sent < $0 }) ?? true {
            guard try exchange.waitUnanswered(untilReadable: file.descriptor) else { return false }
            let count = try read(into: piece)
            guard try send(count, of: storage) else { return false }
            sent += count
            file.progress?(sent)
            if count == 0 { break }
        }
        return true
    }

    private func read(into piece: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
        let wanted = min(piece.count, (file.length ?? .max) - sent)
        while true {
            let count = Glibc.read(file.descriptor, piece.baseAddress, wanted)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else {
                throw .local("cannot read \(file.name): \(ClientError.systemText(errno))")
            }
            if count == 0, let length = file.length {
                throw .local(
                    "\(file.name) ended after \(sent) of \(length) bytes: it was changed while it "
                        + "was being sent"
                )
            }
            return count
        }
    }

    /// Sends the first `count` bytes of the piece in `storage`, with the marks of a chunk where chunks are
    /// sent.
    private func send(
        _ count: Int, of storage: UnsafeMutableRawBufferPointer
    ) throws(ClientError) -> Bool {
        var range = FileSending.margin..<FileSending.margin + count
        if file.length == nil {
            let mark = Array((String(count, radix: 16) + "\r\n").utf8)
            range = range.lowerBound - mark.count..<range.upperBound + 2
            for (index, byte) in mark.enumerated() { storage[range.lowerBound + index] = byte }
            storage[range.upperBound - 2] = UInt8(ascii: "\r")
            storage[range.upperBound - 1] = UInt8(ascii: "\n")
        }
        return try exchange.send(UnsafeRawBufferPointer(rebasing: storage[range]))
    }
}
