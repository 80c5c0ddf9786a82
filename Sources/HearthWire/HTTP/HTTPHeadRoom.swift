// Writing the head of an answer in one go, where it is known how long it can be at most.

/// Room for bytes that is filled from the front. It must suffice: what does not fit is a mistake of ours.
struct HTTPHeadRoom {
    private let room: UnsafeMutableRawBufferPointer
    /// How many bytes have been written.
    private(set) var count = 0

    /// Begins at the front of `room`.
    init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = UnsafeMutableRawBufferPointer(room)
    }

    /// Appends text.
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: room[count..<count + bytes.count]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Appends text that is not known beforehand.
    mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number that is not negative in decimal digits.
    mutating func append(decimal value: Int) {
        precondition(value >= 0, "a length or revision is not negative")
        var rest = value
        var width = 1
        while rest >= 10 {
            rest /= 10
            width += 1
        }
        rest = value
        for index in (count..<count + width).reversed() {
            room[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += width
    }
}
