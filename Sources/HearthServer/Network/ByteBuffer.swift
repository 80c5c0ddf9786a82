// Bytes that have arrived and are not used yet.

/// Owned bytes, taken from the front and added at the back, without copy-on-write.
///
///     ┌───────────┬──────────────────┬──────────────┐
///     │ used up   │ bytes            │ room         │
///     └───────────┴──────────────────┴──────────────┘
///     0           start              end            capacity
///
/// It has no memory until the first byte comes, and none again after `release()`: an idle connection costs
/// none.
struct ByteBuffer: ~Copyable {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var start = 0
    private var end = 0

    init() {}

    deinit {
        storage.deallocate()
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Calls `body` with the bytes, which must not be kept.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: storage[start..<end]))
    }

    /// The bytes, valid until the buffer is changed or gone.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[start..<end])
    }

    /// Adds a copy of `bytes` at the back.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[end..<end + bytes.count]).copyMemory(from: bytes)
        end += bytes.count
    }

    /// Drops `count` bytes from the front.
    ///
    /// - Precondition: there are so many.
    mutating func consume(_ count: Int) {
        precondition(count <= self.count, "more bytes are used than there are")
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Gives the memory back if there are no bytes.
    mutating func releaseIfEmpty() {
        guard isEmpty, storage.count > 0 else { return }
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Makes room for `count` more bytes: by moving to the front where that suffices, else by doubling.
    private mutating func reserve(_ count: Int) {
        guard storage.count - end < count else { return }
        let used = self.count
        if storage.count >= 2 * (used + count) {
            storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
        } else {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(1024, 2 * (used + count)), alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
            storage.deallocate()
            storage = larger
        }
        start = 0
        end = used
    }
}
