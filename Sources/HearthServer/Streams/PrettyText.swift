// JSON text laid out for people.
import HearthJSON

/// Lays out text that the server wrote itself.
enum PrettyText {
    /// The same value over several lines.
    static func pretty(_ json: [UInt8]) -> [UInt8] {
        var reader = JSONReader(limits: JSONLimits(totalBytes: .max))
        var writer = JSONWriter(layout: .pretty)
        return json.withUnsafeBytes { bytes in
            while copyToken(&reader, bytes, &writer) {}
            return writer.take()
        }
    }

    private static func copyToken(
        _ reader: inout JSONReader, _ bytes: UnsafeRawBufferPointer, _ writer: inout JSONWriter
    ) -> Bool {
        do throws(JSONError) {
            switch try reader.next(in: bytes, isFinal: true) {
            case .beginObject: writer.beginObject()
            case .endObject: writer.endObject()
            case .beginArray: writer.beginArray()
            case .endArray: writer.endArray()
            case .key(let text): writer.key(escaped: text.raw(in: bytes))
            case .string(let text): writer.string(escaped: text.raw(in: bytes))
            case .integer(let value): writer.integer(value)
            case .double(let value): writer.double(value)
            case .bool(let value): writer.bool(value)
            case .null: writer.null()
            case .needsMore, .end: return false
            }
            return true
        } catch {
            preconditionFailure("text that was just written is JSON: \(error)")
        }
    }
}
