// Compact JSON laid out over lines, for answers that are assembled from encoded parts.

import HearthJSON

/// Lays JSON out as `print=pretty` wants it. Values of the tree are serialized in their layout at once; this
/// is for the envelopes of long-polls, whose events are encoded once for everybody.
public enum PrettyText {
    /// Returns `json` in the pretty layout, nothing else changed: keys and strings keep their escapes.
    ///
    /// - Precondition: `json` is one JSON value that was written by this program.
    /// - Complexity: O(bytes).
    public static func text(of json: [UInt8]) -> [UInt8] {
        var writer = JSONWriter(layout: .pretty)
        json.withUnsafeBytes { write($0, to: &writer) }
        return writer.take()
    }

    private static func write(_ json: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
        let limits = JSONLimits(keyBytes: json.count, stringBytes: json.count, totalBytes: json.count)
        var reader = JSONReader(limits: limits)
        do throws(JSONError) {
            while true {
                switch try reader.next(in: json, isFinal: true) {
                case .beginObject: writer.beginObject()
                case .endObject: writer.endObject()
                case .beginArray: writer.beginArray()
                case .endArray: writer.endArray()
                case .key(let text): writer.key(escaped: text.raw(in: json))
                case .string(let text): writer.string(escaped: text.raw(in: json))
                case .integer(let value): writer.integer(value)
                case .double(let value): writer.double(value)
                case .bool(let value): writer.bool(value)
                case .null: writer.null()
                case .needsMore, .end: return
                }
            }
        } catch {
            preconditionFailure("an answer is not JSON: \(error)")
        }
    }
}
