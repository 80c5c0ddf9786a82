// The administrator in the place of a user.
public import HearthCore

extension Auth {
    /// What the value of `auth_variable_override` has at most.
    public static let overrideByteLimit = 16_384

    /// Reads the value of `auth_variable_override`: an object is the whole variable, null is nobody and gives
    /// nil.
    ///
    /// - Throws: `OverrideFault`, also for a name that stands twice.
    public static func override(json: [UInt8]) throws(OverrideFault) -> Auth? {
        guard json.count <= overrideByteLimit else { throw .tooLong }
        do throws(ClaimsError) {
            switch try Claims(reading: json) {
            case .null: return nil
            case .object(let variable): return Auth(variable: variable)
            case .leaf, .list: break
            }
        } catch {
            throw .json(error)
        }
        throw .noObject
    }
}

/// Why a text is no `auth` variable.
public enum OverrideFault: Error, Equatable, CustomStringConvertible {
    /// Longer than `Auth.overrideByteLimit`.
    case tooLong
    /// No JSON, or beyond its limits.
    case json(ClaimsError)
    /// JSON, but neither an object nor null.
    case noObject

    /// For the administrator who sent it; shows no more of it than one character.
    public var description: String {
        switch self {
        case .tooLong: "auth_variable_override is longer than \(Auth.overrideByteLimit) bytes"
        case .json(let error): "auth_variable_override cannot be read: \(error.sentence)"
        case .noObject:
            "auth_variable_override must be an object such as {\"uid\":\"ann\"}, or null for nobody"
        }
    }
}
