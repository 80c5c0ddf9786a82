// The body of a call: JSON or a form, in either spelling of its names.
import HearthCore
import HearthJSON

/// The fields of a call, by their names in camelCase.
///
/// `null` counts as absent, numbers stand for texts, unknown fields are ignored. Source: accounts.md §1.
public struct AccountBody: Sendable {
    private let fields: [String: Claims]

    init(_ fields: [String: Claims]) {
        self.fields = fields
    }

    /// A body without fields.
    public init() {
        fields = [:]
    }

    /// Reads a JSON object; no bytes are an empty one.
    ///
    /// - Throws: 400 with the place of what cannot be read, never with a part of it.
    public init(json: [UInt8]) throws(AccountRefusal) {
        guard json.contains(where: { $0 > 0x20 }) else {
            self.init()
            return
        }
        let claims: Claims
        do throws(ClaimsError) {
            claims = try Claims(reading: json)
        } catch {
            switch error {
            case .json(let error): throw .invalidPayload("Unexpected token at \(error.place).")
            case .doubledName(let place): throw .invalidPayload("A name stands twice at \(place).")
            }
        }
        guard let members = AccountBody.renamed(claims).members else {
            throw .invalidPayload("Root element must be a message.")
        }
        self.init(members)
    }

    /// Takes the fields of a form.
    public init(form: [(name: String, value: String)]) {
        self.init(
            Dictionary(form.map { (AccountBody.camelCase($0.name), .text($0.value)) }) { first, _ in first })
    }

    private static func renamed(_ claims: Claims) -> Claims {
        switch claims {
        case .object(let members):
            .object(
                Dictionary(members.map { (camelCase($0.key), renamed($0.value)) }) { first, _ in first })
        case .list(let elements): .list(elements.map(renamed))
        case .null, .leaf: claims
        }
    }

    /// `local_id` and `localId` are the same.
    static func camelCase(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        let parts = name.split(separator: "_")
        guard let first = parts.first else { return name }
        return parts.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

extension AccountBody {
    /// Whether a field is there.
    func has(_ name: String) -> Bool { !(fields[name] ?? .null).isNull }

    /// A text, nil if the field is absent.
    func text(_ name: String) throws(AccountRefusal) -> String? {
        try AccountBody.text(fields[name] ?? .null, name)
    }

    /// A text with something in it, nil if the field is absent or empty.
    func someText(_ name: String) throws(AccountRefusal) -> String? {
        guard let text = try text(name), !text.isEmpty else { return nil }
        return text
    }

    /// A Boolean, nil if the field is absent.
    func bool(_ name: String) throws(AccountRefusal) -> Bool? {
        switch fields[name] ?? .null {
        case .null: return nil
        case .leaf(.bool(let value)): return value
        case .leaf(.string("true")): return true
        case .leaf(.string("false")): return false
        default: throw .wrongType(name, "a Boolean")
        }
    }

    /// A whole number, given as such or as text; nil if the field is absent.
    func integer(_ name: String) throws(AccountRefusal) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text) else { throw .wrongType(name, "a whole number") }
        return number
    }

    /// A list of texts; one text alone is a list of one. Empty if the field is absent.
    func texts(_ name: String) throws(AccountRefusal) -> [String] {
        guard case .list(let elements) = fields[name] ?? .null else {
            return try text(name).map { [$0] } ?? []
        }
        var texts: [String] = []
        for element in elements {
            guard let text = try AccountBody.text(element, name) else { throw .wrongType(name, "texts") }
            texts.append(text)
        }
        return texts
    }

    /// An object, nil if the field is absent.
    func object(_ name: String) throws(AccountRefusal) -> AccountBody? {
        guard has(name) else { return nil }
        guard let members = fields[name]?.members else { throw .wrongType(name, "an object") }
        return AccountBody(members)
    }

    /// A list of objects; empty if the field is absent.
    func objects(_ name: String) throws(AccountRefusal) -> [AccountBody] {
        switch fields[name] ?? .null {
        case .null: return []
        case .list(let elements):
            var bodies: [AccountBody] = []
            for element in elements {
                guard let members = element.members else { throw .wrongType(name, "objects") }
                bodies.append(AccountBody(members))
            }
            return bodies
        case .leaf, .object: throw .wrongType(name, "a list")
        }
    }

    private static func text(_ claims: Claims, _ name: String) throws(AccountRefusal) -> String? {
        switch claims {
        case .null: return nil
        case .leaf(.string(let text)): return text
        case .leaf(.integer(let number)): return String(number)
        case .leaf(.double), .leaf(.bool), .list, .object: throw .wrongType(name, "a text")
        }
    }
}

extension AccountRefusal {
    fileprivate static func wrongType(_ name: String, _ kind: String) -> AccountRefusal {
        .invalidPayload("The field '\(name)' must be \(kind).")
    }
}
