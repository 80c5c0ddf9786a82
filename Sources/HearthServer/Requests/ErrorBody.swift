// The JSON that every refusal carries.
import HearthJSON

/// The body of an error.
enum ErrorBody {
    /// `{"error":"…"}` with the text escaped.
    static func json(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.string(text)
        writer.endObject()
        return writer.take()
    }
}
