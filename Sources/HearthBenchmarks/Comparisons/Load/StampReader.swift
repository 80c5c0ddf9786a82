// Finds the times at which messages were sent, in what subscribers receive.
import Glibc

/// Looks for `"@":1234567890` wherever messages come in events, frames or answers, and cut anywhere.
///
/// The sign stands nowhere else in what servers send here, so a search for one byte finds it.
struct StampReader {
    static let sign = UInt8(ascii: "@")

    /// A stamp that has not come whole, from its sign on; empty most of the time.
    private var beginning: [UInt8] = []

    /// Takes what came and calls `found` with each stamp that has become whole.
    mutating func read(_ bytes: UnsafeRawBufferPointer, found: (UInt64) -> Void) {
        guard !beginning.isEmpty else { return scan(bytes, found) }
        let joined = beginning + Array(bytes)
        beginning = []
        joined.withUnsafeBytes { scan($0, found) }
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ found: (UInt64) -> Void) {
        guard let base = bytes.baseAddress else { return }
        var position = 0
        while let place = memchr(base + position, Int32(StampReader.sign), bytes.count - position) {
            let start = UnsafeRawPointer(place) - base
            guard let (stamp, end) = StampReader.number(bytes, after: start) else {
                beginning = Array(bytes[start...])
                return
            }
            if let stamp { found(stamp) }
            position = end
        }
    }

    /// The number behind a sign and where it ends: nil if it goes on beyond the bytes, without a number if
    /// there is none.
    private static func number(_ bytes: UnsafeRawBufferPointer, after sign: Int) -> (UInt64?, Int)? {
        var position = sign + 3
        guard position < bytes.count else { return nil }
        let isMember = bytes[sign + 1] == UInt8(ascii: "\"") && bytes[sign + 2] == UInt8(ascii: ":")
        guard isMember else { return (nil, sign + 1) }
        var value: UInt64 = 0
        while position < bytes.count {
            let digit = bytes[position] &- 48
            guard digit < 10 else { return (value, position) }
            value = value &* 10 &+ UInt64(digit)
            position += 1
        }
        return nil
    }
}
