// Which texts are addresses of users.

/// Addresses as they are stored, compared and returned: in lower case as a whole. Source: accounts.md §12.
enum EmailAddress {
    /// The address that `text` stands for.
    ///
    /// - Throws: `INVALID_EMAIL`.
    static func canonical(_ text: String, settings: AccountSettings) throws(AccountRefusal) -> String {
        let address = text.lowercased()
        let isSound = settings.isEmulator ? isPlausible(address) : isDeliverable(address)
        guard isSound, AccountTree.canKeep(email: address) else { throw .invalidEmail }
        return address
    }

    /// One `@` with something on both sides.
    private static func isPlausible(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && !address.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }

    private static func isDeliverable(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, address.utf8.count <= 254, 1...64 ~= parts[0].utf8.count else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return isDotAtom(parts[0]) && labels.allSatisfy(isLabel)
    }

    /// Atoms between single dots (RFC 5321 §4.1.2), beyond ASCII as they are.
    private static func isDotAtom(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.unicodeScalars.allSatisfy { isAtomCharacter($0) }
        }
    }

    private static func isAtomCharacter(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return isComposed(scalar) }
        return isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard let first = label.first, let last = label.last, label.utf8.count <= 63 else { return false }
        return first != "-" && last != "-"
            && label.unicodeScalars.allSatisfy {
                $0.isASCII ? isLetterOrDigit($0) || $0 == "-" : isComposed($0)
            }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
    }

    /// Whether a scalar beyond ASCII can stand in a text that has just one spelling: no combining mark, no
    /// jamo, nothing invisible. Two addresses that look the same would be two accounts otherwise.
    private static func isComposed(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
            return false
        default: return !(0x1100...0x11FF).contains(scalar.value)
        }
    }
}
