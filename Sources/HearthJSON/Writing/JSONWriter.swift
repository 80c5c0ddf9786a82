// JSON text, piece by piece: the caller walks, the writer punctuates.

/// How text is laid out.
public enum JSONLayout: Sendable {
    /// No white space at all.
    case compact
    /// The layout of `print=pretty`: each member of an object on its own line, two spaces of indent for
    /// each object around it, `"key" : value`, the elements of an array in a row: `[ 1, 2 ]`. No line end
    /// after the value.
    case pretty
}

/// Appends JSON text to bytes that it owns.
///
/// It puts commas, colons and indents where they belong; that brackets match and every key has a value is
/// up to the caller, who has a stack anyway. It keeps no stack itself, so a serializer can stop after any
/// call, hand over what `take()` returns, and go on later:
///
///     writer.beginObject()                       {
///     writer.key("topic")                          "topic" :
///     writer.string("hello")                       "topic" : "hello"
///     writer.endObject()                         }
public struct JSONWriter: Sendable {
    /// The text so far, or since the last `take()`. May be appended to directly, behind a complete value
    /// only.
    public var bytes: [UInt8] = []
    /// How the text is laid out.
    public let layout: JSONLayout
    /// What is escaped in strings.
    public let escapes: JSONEscapes

    private enum Place {
        /// At the beginning, or after a brace was opened: nothing to put in front.
        case first
        /// After a bracket was opened.
        case firstElement
        /// After a value: a comma first.
        case next
        /// After a key: its value, without a comma.
        case member
    }

    private var place = Place.first
    /// Objects that are open; arrays do not indent.
    private var indent = 0

    /// Begins with no text.
    public init(layout: JSONLayout = .compact, escapes: JSONEscapes = .minimal) {
        self.layout = layout
        self.escapes = escapes
    }

    /// Returns the text written since the last time and forgets it, but not where it is in the value.
    ///
    /// - Complexity: O(1).
    public mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Begins anew behind a complete value: the next value has no comma in front. The text stays.
    public mutating func restart() {
        place = .first
        indent = 0
    }
}

extension JSONWriter {
    /// Opens an object.
    public mutating func beginObject() {
        beginValue()
        bytes.append(.openBrace)
        indent += 1
        place = .first
    }

    /// Closes the innermost object. An empty one is `{}` in every layout.
    public mutating func endObject() {
        indent -= 1
        if layout == .pretty, place != .first { breakLine() }
        bytes.append(.closeBrace)
        place = .next
    }

    /// Opens an array.
    public mutating func beginArray() {
        beginValue()
        bytes.append(.openBracket)
        place = .firstElement
    }

    /// Closes the innermost array. An empty one is `[]` in every layout.
    public mutating func endArray() {
        if layout == .pretty, place != .firstElement { bytes.append(.space) }
        bytes.append(.closeBracket)
        place = .next
    }

    /// Writes the key of the next member, whose value must follow.
    public mutating func key(_ text: String) {
        var text = text
        text.withUTF8 { key(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a key that is UTF-8 bytes already.
    ///
    /// - Precondition: `text` is valid UTF-8.
    public mutating func key(utf8 text: UnsafeRawBufferPointer) {
        if layout == .compact, text.count <= JSONEscapes.stretch {
            appendShort(text, comma: place == .next, colon: true)
            place = .member
            return
        }
        beginKey()
        escapes.append(text, to: &bytes)
        endKey()
    }

    /// Writes a key whose escapes are in place, such as the raw bytes of a `JSONText`.
    public mutating func key(escaped text: UnsafeRawBufferPointer) {
        beginKey()
        bytes.append(contentsOf: text)
        endKey()
    }
}

extension JSONWriter {
    /// Writes a string.
    public mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string that is UTF-8 bytes already.
    ///
    /// - Precondition: `text` is valid UTF-8.
    public mutating func string(utf8 text: UnsafeRawBufferPointer) {
        if layout == .compact, text.count <= JSONEscapes.stretch {
            appendShort(text, comma: place == .next, colon: false)
            place = .next
            return
        }
        beginValue()
        bytes.append(.quote)
        escapes.append(text, to: &bytes)
        bytes.append(.quote)
    }

    /// Writes a string whose escapes are in place.
    public mutating func string(escaped text: UnsafeRawBufferPointer) {
        beginValue()
        bytes.append(.quote)
        bytes.append(contentsOf: text)
        bytes.append(.quote)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        beginValue()
        JSONNumber.append(value, to: &bytes)
    }

    /// Writes a double in JavaScript's shortest form.
    ///
    /// - Precondition: `value` is finite.
    public mutating func double(_ value: Double) {
        beginValue()
        JSONNumber.append(value, to: &bytes)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        beginValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        beginValue()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a value that is JSON text already, as it is.
    public mutating func value(text: UnsafeRawBufferPointer) {
        beginValue()
        bytes.append(contentsOf: text)
    }
}

extension JSONWriter {
    /// Writes members of the open object that are JSON text already, at least one, with commas between them.
    ///
    /// - Precondition: the layout is compact.
    public mutating func members(text: UnsafeRawBufferPointer) {
        if place == .next { bytes.append(.comma) }
        bytes.append(contentsOf: text)
        place = .next
    }

    private mutating func beginValue() {
        if place == .next { bytes.append(.comma) }
        if layout == .pretty, place == .next || place == .firstElement { bytes.append(.space) }
        place = .next
    }

    private mutating func beginKey() {
        if place == .next { bytes.append(.comma) }
        if layout == .pretty { breakLine() }
        bytes.append(.quote)
    }

    private mutating func endKey() {
        bytes.append(.quote)
        if layout == .pretty {
            bytes.append(contentsOf: " : ".utf8)
        } else {
            bytes.append(.colon)
        }
        place = .member
    }

    private mutating func breakLine() {
        bytes.append(.lineFeed)
        bytes.append(contentsOf: repeatElement(.space, count: 2 * indent))
    }

    /// Appends a string of one stretch with its quotes and the compact punctuation around it.
    private mutating func appendShort(_ text: UnsafeRawBufferPointer, comma: Bool, colon: Bool) {
        bytes.append(atMost: JSONEscapes.longest * text.count + 12) { start in
            start.storeBytes(of: .comma, as: UInt8.self)
            var written = comma ? 1 : 0
            start.storeBytes(of: .quote, toByteOffset: written, as: UInt8.self)
            var at = 0
            written &+= 1
            written &+= escapes.write(text, from: &at, upTo: text.count, to: start + written)
            start.storeBytes(of: .quote, toByteOffset: written, as: UInt8.self)
            start.storeBytes(of: .colon, toByteOffset: written &+ 1, as: UInt8.self)
            return written &+ (colon ? 2 : 1)
        }
    }
}
