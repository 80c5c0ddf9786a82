// Claims as JSON text, for tokens and answers.
import HearthCore
import HearthJSON

extension Claims {
    /// Compact JSON, the members of an object by name, so that the same value always gives the same text.
    var json: [UInt8] {
        var writer = JSONWriter()
        append(to: &writer)
        return writer.take()
    }

    private func append(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .leaf(.bool(let value)): writer.bool(value)
        case .leaf(.integer(let value)): writer.integer(value)
        case .leaf(.double(let value)): writer.double(value)
        case .leaf(.string(let text)): writer.string(text)
        case .list(let elements):
            writer.beginArray()
            for element in elements { element.append(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                value.append(to: &writer)
            }
            writer.endObject()
        }
    }

    /// A text, nothing for nil.
    static func text(_ text: String?) -> Claims { text.map { .leaf(.string($0)) } ?? .null }

    /// A number that answers write as text, since it has 64 bits.
    static func decimal(_ number: Int64?) -> Claims { number.map { .leaf(.string(String($0))) } ?? .null }

    static func bool(_ value: Bool) -> Claims { .leaf(.bool(value)) }

    static func integer(_ value: Int64) -> Claims { .leaf(.integer(value)) }

    /// An object of what is not null.
    static func object(present members: [String: Claims]) -> Claims {
        .object(members.filter { !$0.value.isNull })
    }

    /// The members of an object, nil for anything else.
    var members: [String: Claims]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
