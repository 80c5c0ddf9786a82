// The rules text of a namespace with what was read from it.

/// The rules text of a namespace, kept as it was sent, with the indexes that it defines. An object, because
/// every state has it.
public final class StoredRules: Sendable {
    /// The text as it was sent, in UTF-8.
    public let text: [UInt8]
    /// The indexes that it defines.
    public let indexes: IndexRules

    /// Takes over a text that a client sent.
    ///
    /// - Throws: `Refusal.invalidRules` with `LINE:COL: message` if it is no rules text.
    public init(checking text: [UInt8]) throws(Refusal) {
        do {
            indexes = try IndexRules(reading: text)
        } catch {
            throw .invalidRules(error.description)
        }
        self.text = text
    }

    /// Takes back a text that was accepted before. One that this version cannot read defines no index.
    public init(stored text: [UInt8]) {
        self.text = text
        do {
            indexes = try IndexRules(reading: text)
        } catch {
            indexes = .none
        }
    }
}
