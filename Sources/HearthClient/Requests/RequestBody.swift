// What a request carries: bytes at hand, or a file of any size.

/// The body of a request.
public enum RequestBody {
    /// Nothing, not even an empty body.
    case none
    /// Bytes at hand.
    case bytes([UInt8])
    /// What a descriptor yields; sent in pieces, so that memory stays the same whatever the size.
    case file(FileBody)
}

/// An open file, pipe or terminal as the body of a request.
public struct FileBody {
    /// Read from where it stands; not closed.
    public let descriptor: Int32
    /// What messages call it.
    public let name: String
    /// Bytes to send, if that is known; else everything up to the end is sent, in chunks.
    public let length: Int?
    /// Called with the number of bytes that have gone so far, at most once for every 256 KiB.
    public let progress: ((Int) -> Void)?

    /// Wraps a descriptor.
    public init(descriptor: Int32, name: String, length: Int?, progress: ((Int) -> Void)? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.length = length
        self.progress = progress
    }
}
