// Accounts as they lie in the private namespace.
import HearthCore

/// The names of the children of stored records, each spelled once.
enum RecordField: String, CaseIterable {
    case localID = "id"
    case email, isEmailVerified = "verified", initialEmail, displayName, photoURL
    case password, passwordUpdatedAt, validSince, tokensFrom, createdAt, lastLoginAt, lastRefreshAt
    case isDisabled = "disabled"
    case customAttributes, hasCustomAuth = "customAuth", hasEmailLink = "emailLink"
    case provider, signedInAt, claims, usedAt, client
    case kind, newEmail, expiresAt, text, link, sequence
    case publicKey

    /// Letters alone, so it is a key.
    var key: Key {
        var name = rawValue
        return name.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
    }
}

/// Reads a stored record, child by child.
struct RecordReader {
    let node: Node

    func text(_ field: RecordField) -> String? {
        guard case .string(let text)? = node.child(field.key).leaf else { return nil }
        return text
    }

    func integer(_ field: RecordField) -> Int64? {
        guard case .integer(let number)? = node.child(field.key).leaf else { return nil }
        return number
    }

    func bool(_ field: RecordField) -> Bool { node.child(field.key).leaf == .bool(true) }
}

/// Puts a record together to be stored.
struct RecordWriter {
    private var builder = Node.Builder()

    mutating func text(_ field: RecordField, _ text: String?) {
        guard let text else { return }
        builder.insert(Node(.string(text)), for: field.key)
    }

    mutating func integer(_ field: RecordField, _ number: Int64?) {
        guard let number else { return }
        builder.insert(Node(.integer(number)), for: field.key)
    }

    /// Falsehood is not written.
    mutating func bool(_ field: RecordField, _ value: Bool) {
        guard value else { return }
        builder.insert(Node(.bool(true)), for: field.key)
    }

    var node: Node { builder.finish() }
}

extension Account {
    /// Reads a stored account; nil if there is none.
    init?(node: Node) {
        let reader = RecordReader(node: node)
        guard let localID = reader.text(.localID), let createdAt = reader.integer(.createdAt) else {
            return nil
        }
        self.init(localID: localID, createdAt: createdAt)
        email = reader.text(.email)
        isEmailVerified = reader.bool(.isEmailVerified)
        initialEmail = reader.text(.initialEmail)
        displayName = reader.text(.displayName)
        photoURL = reader.text(.photoURL)
        password = reader.text(.password)
        passwordUpdatedAt = reader.integer(.passwordUpdatedAt)
        validSince = reader.integer(.validSince)
        tokensFrom = reader.integer(.tokensFrom) ?? 0
        lastLoginAt = reader.integer(.lastLoginAt)
        lastRefreshAt = reader.integer(.lastRefreshAt)
        isDisabled = reader.bool(.isDisabled)
        customAttributes = reader.text(.customAttributes)
        hasCustomAuth = reader.bool(.hasCustomAuth)
        hasEmailLink = reader.bool(.hasEmailLink)
    }

    /// The account as it is stored.
    var node: Node {
        var writer = RecordWriter()
        writer.text(.localID, localID)
        writer.integer(.createdAt, createdAt)
        writer.text(.email, email)
        writer.bool(.isEmailVerified, isEmailVerified)
        writer.text(.initialEmail, initialEmail)
        writer.text(.displayName, displayName)
        writer.text(.photoURL, photoURL)
        writer.text(.password, password)
        writer.integer(.passwordUpdatedAt, passwordUpdatedAt)
        writer.integer(.validSince, validSince)
        writer.integer(.tokensFrom, tokensFrom)
        writer.integer(.lastLoginAt, lastLoginAt)
        writer.integer(.lastRefreshAt, lastRefreshAt)
        writer.bool(.isDisabled, isDisabled)
        writer.text(.customAttributes, customAttributes)
        writer.bool(.hasCustomAuth, hasCustomAuth)
        writer.bool(.hasEmailLink, hasEmailLink)
        return writer.node
    }
}
