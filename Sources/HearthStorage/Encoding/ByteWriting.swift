// Appending numbers and text to bytes; ByteReader reads them back.
import HearthCore

extension [UInt8] {
    mutating func appendFixed32(_ value: UInt32) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func appendFixed64(_ value: UInt64) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func appendSignedVarint(_ value: Int64) {
        appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func appendCount(_ value: Int) {
        appendVarint(UInt64(value))
    }

    mutating func appendText(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            appendCount(bytes.count)
            append(contentsOf: bytes)
        }
    }

    mutating func appendBytes(_ bytes: [UInt8]) {
        appendCount(bytes.count)
        append(contentsOf: bytes)
    }

    /// The length is guessed to need one byte; a long key is moved once.
    mutating func appendKey(_ key: Key) {
        if let words = key.plainBytes {
            let length = key.byteCount
            append(UInt8(length))
            return Swift.withUnsafeBytes(of: words) {
                append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<length]))
            }
        }
        let start = count
        append(0)
        key.appendUTF8(to: &self)
        let length = count - start - 1
        if length < 0x80 {
            self[start] = UInt8(length)
        } else {
            let utf8 = Array(self[(start + 1)...])
            removeSubrange(start...)
            appendBytes(utf8)
        }
    }

    mutating func setFixed32(_ value: UInt32, at offset: Int) {
        precondition(offset >= 0 && offset + 4 <= count, "a number lies inside its bytes")
        withUnsafeMutableBytes {
            $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
        }
    }

    mutating func setFixed64(_ value: UInt64, at offset: Int) {
        precondition(offset >= 0 && offset + 8 <= count, "a number lies inside its bytes")
        withUnsafeMutableBytes {
            $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
        }
    }
}
