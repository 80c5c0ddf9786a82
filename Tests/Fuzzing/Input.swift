// Takes each input from libFuzzer, has it read, and notices memory that it leaves behind. The sanitizer's own
// search for leaks is of no use here: it takes pointers in whose bits Swift keeps marks for lost ones.

@_silgen_name("__sanitizer_get_current_allocated_bytes")
private func allocatedByteCount() -> Int

/// What libFuzzer calls; the file beside this one that is compiled with it has `feed`.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    feed(input)
    // Reading one again takes its time: some of all lengths are enough to meet each way through the code.
    if (input.reduce(0) { $0 &* 31 &+ Int($1) }) & 15 == 0 { checkMemory(after: input) }
    return 0
}

/// Reads an input until that leaves nothing more behind: what is kept on purpose is kept once.
private func checkMemory(after input: [UInt8]) {
    var growth = 0
    for _ in 0..<8 {
        let before = allocatedByteCount()
        feed(input)
        growth = allocatedByteCount() - before
        if growth <= 0 { return }
    }
    fatalError("an input of \(input.count) bytes leaves \(growth) bytes behind each time that it is read")
}
