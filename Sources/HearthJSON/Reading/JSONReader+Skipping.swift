// Members of a message that nobody asked for.

extension JSONReader {
    /// Reads the next value and everything in it, and returns where its text stands in the buffer.
    ///
    /// - Precondition: a value comes next: at the beginning, after a key, or in an array that is not at its
    ///   end.
    /// - Throws: the first fault of the text, also when the buffer, which is taken to be final, ends too
    ///   early.
    /// - Complexity: O(n) in the bytes of the value.
    public mutating func skipValue(in buffer: UnsafeRawBufferPointer) throws(JSONError) -> Range<Int> {
        let outer = depth
        var token = try next(in: buffer, isFinal: true)
        switch token {
        case .key, .endObject, .endArray, .end: preconditionFailure("no value comes next")
        default: break
        }
        let start = lastTokenStart
        while depth > outer { token = try next(in: buffer, isFinal: true) }
        return start..<consumed
    }
}
