// The two ends of a session that face the network, as OpenSSL wants to have them: without a socket.
import COpenSSL

/// What one call of a session reads from and writes to. It lives as long as the call alone, so that an idle
/// session holds no buffer.
struct TLSTransfer {
    /// Bytes of the other side that are not used yet.
    var input: UnsafeRawBufferPointer
    /// Bytes for the other side.
    var output: [UInt8]
}

/// How OpenSSL reaches the transfer of the call that it is in.
enum TLSTransferMethod {
    // Safe to share between threads: it is never changed once it is made.
    nonisolated(unsafe) static let method: OpaquePointer = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(kind, "transfer"), BIO_meth_set_read(method, readTransfer) == 1,
            BIO_meth_set_write(method, writeTransfer) == 1, BIO_meth_set_ctrl(method, controlTransfer) == 1
        else { fatalError("OpenSSL offers no way to pass bytes; memory may have run out") }
        return method
    }()

    /// Makes an end without a transfer.
    static func makeEnd() -> OpaquePointer {
        guard let end = BIO_new(method) else {
            fatalError("OpenSSL cannot begin a session; memory may have run out")
        }
        BIO_set_init(end, 1)
        return end
    }
}

private func transfer(of end: OpaquePointer?) -> UnsafeMutablePointer<TLSTransfer>? {
    BIO_get_data(end)?.assumingMemoryBound(to: TLSTransfer.self)
}

/// Gives OpenSSL what there is, or tells it to come again.
private func readTransfer(_ end: OpaquePointer?, _ start: UnsafeMutablePointer<CChar>?, _ room: Int32)
    -> Int32
{
    BIO_clear_flags(end, hearth_bio_retry_all)
    guard let transfer = transfer(of: end), let start, !transfer.pointee.input.isEmpty else {
        BIO_set_flags(end, hearth_bio_retry_read)
        return -1
    }
    let input = transfer.pointee.input
    let count = min(Int(room), input.count)
    UnsafeMutableRawBufferPointer(start: start, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    transfer.pointee.input = UnsafeRawBufferPointer(rebasing: input[count...])
    return Int32(count)
}

/// Takes what OpenSSL gives, all of it.
private func writeTransfer(_ end: OpaquePointer?, _ start: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    BIO_clear_flags(end, hearth_bio_retry_all)
    guard let transfer = transfer(of: end), let start else { return -1 }
    transfer.pointee.output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: Int(count)))
    return count
}

/// A flush is done at once; nothing else means anything here.
private func controlTransfer(
    _ end: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
