// Numbers in their shortest form, most of which can be told by counting digits.
import HearthJSON

extension CanonicalCheck {
    /// Reads the number that comes next, if it is written as we write it.
    mutating func number() -> Bool {
        let start = at
        if at < end, byte(at) == UInt8(ascii: "-") { at &+= 1 }
        let first = at
        skipDigits()
        let digits = at &- first
        guard digits > 0 else { return false }
        let beginsWithZero = byte(first) == UInt8(ascii: "0")
        guard digits == 1 || !beginsWithZero else { return false }
        switch at < end ? byte(at) : 0 {
        case UInt8(ascii: "."):
            return isPlainFraction(digits: digits, isBelowOne: beginsWithZero) || isShortest(from: start)
        case UInt8(ascii: "e"), UInt8(ascii: "E"): return isShortest(from: start)
        default:
            // Not -0.
            return (digits <= 18 && (!beginsWithZero || first == start)) || isShortest(from: start)
        }
    }

    @inline(__always)
    private mutating func skipDigits() {
        while at < end, byte(at) &- UInt8(ascii: "0") < 10 { at &+= 1 }
    }

    /// Reads on behind the digits before a point. Up to 15 digits are the shortest that tell a double from
    /// others, unless they end with a zero; below 1e-6 it would be written with an exponent.
    private mutating func isPlainFraction(digits: Int, isBelowOne: Bool) -> Bool {
        at &+= 1
        let first = at
        skipDigits()
        let fraction = at &- first
        guard fraction > 0, digits &+ fraction <= 15, byte(at &- 1) != UInt8(ascii: "0"),
            at == end || byte(at) | 0x20 != UInt8(ascii: "e")
        else { return false }
        guard isBelowOne else { return true }
        return (first..<min(first &+ 6, at)).contains { byte($0) != UInt8(ascii: "0") }
    }

    /// Reads the number at `start` anew, and whether it is as we write it.
    private mutating func isShortest(from start: Int) -> Bool {
        at = start
        while at < end, isInNumbers(byte(at)) { at &+= 1 }
        let read = UnsafeRawBufferPointer(start: text + start, count: at &- start)
        var written: [UInt8] = []
        do throws(JSONError) {
            switch try JSONNumber(read) {
            case .integer(let value): written.appendPacked(Node(.integer(value)))
            case .double(let value): written.appendPacked(Node(Leaf(number: value)))
            }
        } catch {
            // The reader comes to it again and says what is wrong.
            return false
        }
        return read.elementsEqual(written)
    }

    private func isInNumbers(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
