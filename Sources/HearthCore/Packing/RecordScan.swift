// One small object, read as clients write it and written as it is kept.
import HearthJSON

/// One object on its way from the buffer to the output.
struct RecordScan {
    /// Where a scan writes; lent for as long as it takes.
    struct Room {
        /// Room for the longest text and some more.
        let output: UnsafeMutableRawPointer
        /// As much again, for sorting.
        let spare: UnsafeMutableRawPointer
        /// Room for `RecordScanner.memberLimit` members.
        let members: UnsafeMutablePointer<RecordScanner.Member>
        /// The keys that were met last, by the place of their member: up to seven bytes and the closing
        /// quote, then the words of those members. Nearly all records of a list are alike.
        let shape: UnsafeMutablePointer<UInt64>
    }

    /// How many keys are kept.
    static let shapeCount = 16

    let buffer: UnsafeRawBufferPointer
    let limits: JSONLimits
    let room: Room
    /// What was read so far.
    var stretch: JSONStretch
    var at: Int
    /// Bytes written.
    var count = 0
    /// Members of open objects.
    var memberCount = 0

    init(_ buffer: UnsafeRawBufferPointer, at start: Int, limits: JSONLimits, into room: Room) {
        self.buffer = buffer
        self.limits = limits
        self.room = room
        stretch = JSONStretch(end: start)
        at = start
    }

    /// What was written.
    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: room.output, count: count) }

    /// The byte that comes next after white space; 0 at the end of the buffer.
    @inline(__always)
    private mutating func next() -> UInt8 {
        while at < buffer.count {
            let byte = buffer[at]
            if byte > 0x20 { return byte }
            switch byte {
            case 0x20, 0x09, 0x0D: break
            case 0x0A: stretch.endLine(at: at)
            default: return 0
            }
            at &+= 1
        }
        return 0
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        room.output.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    var isFull: Bool { count > PackedText.recordLimit }

    /// Reads the object at the present place.
    mutating func readObject(levels: Int) -> Bool {
        guard levels > 0 else { return false }
        let first = memberCount
        put(UInt8(ascii: "{"))
        at &+= 1
        repeat {
            guard readMember(levels: levels), !isFull else { return false }
            let byte = next()
            at &+= 1
            if byte == UInt8(ascii: "}") { break }
            guard byte == UInt8(ascii: ",") else { return false }
            put(byte)
        } while true
        put(UInt8(ascii: "}"))
        guard !isFull, sort(from: first) else { return false }
        memberCount = first
        stretch.end = at
        return true
    }

    /// Reads a member, which is the last of those in memory then.
    private mutating func readMember(levels: Int) -> Bool {
        let start = count
        guard next() == UInt8(ascii: "\""), let word = readKnownKey() ?? readKey() else { return false }
        let keyEnd = count &- 1
        guard next() == UInt8(ascii: ":") else { return false }
        at &+= 1
        put(UInt8(ascii: ":"))
        guard readValue(levels: levels), memberCount < RecordScanner.memberLimit else { return false }
        room.members[memberCount] = RecordScanner.Member(
            start: start, keyEnd: keyEnd, end: count, word: word)
        memberCount &+= 1
        stretch.end = at
        return true
    }

    private mutating func readValue(levels: Int) -> Bool {
        switch next() {
        case UInt8(ascii: "\""): readString()
        case UInt8(ascii: "{"): readObject(levels: levels &- 1)
        case UInt8(ascii: "t"): readLiteral("true")
        case UInt8(ascii: "f"): readLiteral("false")
        default: readNumber()
        }
    }

    private mutating func readLiteral(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard at &+ length <= buffer.count else { return false }
        for index in 0..<length {
            let byte = literal.utf8Start[index]
            guard buffer[at &+ index] == byte else { return false }
            put(byte)
        }
        at &+= length
        return true
    }
}
