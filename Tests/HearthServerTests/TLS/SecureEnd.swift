// The encrypted side of a test client.
import HearthCrypto
import Testing

/// A client's end of a TLS session.
final class SecureEnd {
    private var session: TLSSession
    private var output: [UInt8] = []
    /// How the session ended, if it has.
    private(set) var ending: TLSSession.Reading?

    init(_ context: TLSClientContext) {
        session = TLSSession(client: context, host: "localhost")
    }

    var isOpen: Bool { session.isOpen }
    var version: String { session.version }

    func begin() throws {
        if let failure = session.begin(output: &output) { throw failure }
    }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    func write(_ bytes: [UInt8]) {
        let failure = bytes.withUnsafeBytes { session.write($0, output: &output) }
        #expect(failure == nil)
    }

    func end() {
        session.end(output: &output)
    }

    func read(_ bytes: [UInt8]) -> [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.count + 16 << 10, alignment: 16)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        var input = UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        let plain = UnsafeMutableRawBufferPointer(rebasing: memory[bytes.count...])
        var heard: [UInt8] = []
        while true {
            let reading = session.read(&input, into: plain, output: &output)
            guard case .bytes(let count) = reading else {
                if reading != .needsInput { ending = reading }
                return heard
            }
            heard += plain[..<count]
        }
    }
}
