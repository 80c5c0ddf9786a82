// Push IDs: keys that ascend with time, made by clients and, for POST, by the server.

/// Makes push IDs: 20 characters, 8 for the time in ms and 12 random, ascending within one millisecond.
///
/// Source: wire-protocol.md §15. Time and chance come from outside.
public struct PushIDGenerator: Sendable {
    private static let alphabet = Array(
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    private static let timeDigitCount = 8
    private static let randomDigitCount = 12

    private var lastTime: Int64 = -1
    private var digits = [UInt8](repeating: 0, count: randomDigitCount)

    /// A generator that has made none yet.
    public init() {}

    /// The next push ID.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970; an earlier time than the last one counts as the last one.
    ///   - generator: asked for two words when the millisecond is a new one.
    public mutating func next(
        at time: Int64, using generator: inout some RandomNumberGenerator
    ) -> Key {
        if time > lastTime {
            lastTime = time
            draw(using: &generator)
        } else {
            increment()
        }
        return Self.key(time: lastTime, digits: digits)
    }

    /// Draws all digits, 6 bits each, from as few words as they fit: a draw may be a system call.
    private mutating func draw(using generator: inout some RandomNumberGenerator) {
        let digitsPerWord = 64 / 6
        var word: UInt64 = 0
        for index in digits.indices {
            if index % digitsPerWord == 0 { word = generator.next() }
            digits[index] = UInt8(word & 63)
            word >>= 6
        }
    }

    private mutating func increment() {
        for index in digits.indices.reversed() {
            if digits[index] < 63 {
                digits[index] += 1
                return
            }
            digits[index] = 0
        }
        // All twelve digits were the last one: the next millisecond keeps the IDs ascending.
        lastTime += 1
    }

    private static func key(time: Int64, digits: [UInt8]) -> Key {
        withUnsafeTemporaryAllocation(byteCount: timeDigitCount + randomDigitCount, alignment: 8) { bytes in
            var rest = time
            for index in (0..<timeDigitCount).reversed() {
                bytes[index] = alphabet[Int(rest & 63)]
                rest >>= 6
            }
            for index in 0..<randomDigitCount {
                bytes[timeDigitCount + index] = alphabet[Int(digits[index])]
            }
            return Key(checked: UnsafeRawBufferPointer(bytes))
        }
    }
}
