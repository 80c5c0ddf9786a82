// Numbers of a small object, most of which are written in their shortest form already.
import HearthJSON

extension RecordScan {
    /// Reads a number and writes it as we do; most are written so already.
    mutating func readNumber() -> Bool {
        let start = at
        var digits = 0
        if at < buffer.count, buffer[at] == UInt8(ascii: "-") { at &+= 1 }
        let first = at
        while at < buffer.count, buffer[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        digits = at &- first
        let beginsWithZero = first < buffer.count && buffer[first] == UInt8(ascii: "0")
        guard digits > 0, digits == 1 || !beginsWithZero else { return false }
        switch at < buffer.count ? buffer[at] : 0 {
        case UInt8(ascii: "."):
            if !isPlainFraction(digits: digits, isBelowOne: beginsWithZero) {
                return rewriteNumber(from: start)
            }
        case UInt8(ascii: "e"), UInt8(ascii: "E"): return rewriteNumber(from: start)
        default:
            // Not -0.
            guard digits <= 18, !beginsWithZero || first == start else {
                return rewriteNumber(from: start)
            }
        }
        for index in start..<at { put(buffer[index]) }
        return true
    }

    /// Reads on behind the digits before a point. Up to 15 digits are the shortest that tell a double from
    /// others, unless they end with a zero; below 1e-6 it would be written with an exponent.
    private mutating func isPlainFraction(digits: Int, isBelowOne: Bool) -> Bool {
        at &+= 1
        let first = at
        while at < buffer.count, buffer[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        let fraction = at &- first
        guard fraction > 0, digits &+ fraction <= 15, buffer[at &- 1] != UInt8(ascii: "0"),
            at == buffer.count || buffer[at] | 0x20 != UInt8(ascii: "e")
        else { return false }
        guard isBelowOne else { return true }
        return (first..<min(first &+ 6, at)).contains { buffer[$0] != UInt8(ascii: "0") }
    }

    /// Reads the number at `start` anew and writes it in its shortest form.
    private mutating func rewriteNumber(from start: Int) -> Bool {
        at = start
        while at < buffer.count, isInNumbers(buffer[at]) { at &+= 1 }
        var written: [UInt8] = []
        do throws(JSONError) {
            switch try JSONNumber(UnsafeRawBufferPointer(rebasing: buffer[start..<at])) {
            case .integer(let value): written.appendPacked(Node(.integer(value)))
            case .double(let value): written.appendPacked(Node(Leaf(number: value)))
            }
        } catch {
            // The reader comes to it again and says what is wrong.
            return false
        }
        for byte in written { put(byte) }
        return true
    }

    private func isInNumbers(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
