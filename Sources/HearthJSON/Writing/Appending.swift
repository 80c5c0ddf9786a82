// How bytes get behind the ones that are there without a check for each of them.

extension [UInt8] {
    /// Appends what `write` puts at the place it is given; it returns how many bytes that are, `limit` at
    /// most.
    ///
    /// - Complexity: amortized O(1) beyond what `write` does. The largest part of the time of short texts
    ///   is the check of the array's storage, which this does once for all of them.
    @inline(__always)
    mutating func append(atMost limit: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
        append(addingCapacity: limit) { span in
            span.withUnsafeMutableBufferPointer { free, count in
                guard let start = free.baseAddress else { return }
                count = write(UnsafeMutableRawPointer(start))
                precondition(count <= limit, "more bytes were written than there was room for")
            }
        }
    }
}

/// Writes the decimal digits of `value` to `start` and returns how many they are, 20 at most.
@inline(__always)
func write(digitsOf value: UInt64, to start: UnsafeMutableRawPointer) -> Int {
    let count = decimalLength(value)
    var rest = value
    var at = count
    while at > 0 {
        at &-= 1
        let quotient = rest / 10
        start.storeBytes(
            of: .zero &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10), toByteOffset: at, as: UInt8.self)
        rest = quotient
    }
    return count
}

/// Returns how many decimal digits `value` has; 1 for zero.
@inline(__always)
func decimalLength(_ value: UInt64) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while count < 20, value >= bound {
        count &+= 1
        bound = bound &* 10
    }
    return count
}
