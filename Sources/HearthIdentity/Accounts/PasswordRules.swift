// Which passwords are taken.

/// The rules for new passwords. Source: accounts.md §12.
enum PasswordRules {
    /// Checks a new password of the user of `email`.
    ///
    /// - Throws: `WEAK_PASSWORD`, or what is missing.
    static func check(_ password: String, email: String?, settings: AccountSettings) throws(AccountRefusal) {
        guard password.utf16.count >= settings.passwordLength else {
            throw .weakPassword(atLeast: settings.passwordLength)
        }
        guard password.utf8.count <= AccountSettings.passwordByteLimit else {
            throw .passwordRequirement("Password may contain at most 4096 bytes")
        }
        guard !password.utf8.contains(0) else {
            throw .passwordRequirement("Password must not contain the character U+0000")
        }
        guard !settings.isEmulator, settings.refusesCommonPasswords else { return }
        let text = password.lowercased()
        guard text != email, !common.contains(text) else {
            throw AccountRefusal("WEAK_PASSWORD : Password should not be easy to guess")
        }
    }

    /// Those that are tried first by everybody.
    private static let common: Set<String> = [
        "123456", "1234567", "12345678", "123456789", "1234567890", "12345678910", "111111", "1111111",
        "11111111", "000000", "00000000", "123123", "123321", "654321", "666666", "696969", "777777",
        "888888", "987654321", "112233", "121212", "password", "password1", "password12", "password123",
        "passw0rd", "p@ssw0rd", "passwort", "passwort1", "geheim", "hallo123", "qwertz", "qwertz123",
        "qwerty", "qwerty1", "qwerty123", "qwertyuiop", "1q2w3e", "1q2w3e4r", "1qaz2wsx", "q1w2e3r4",
        "asdfgh", "asdfghjkl", "zxcvbn", "zxcvbnm", "abc123", "abcdef", "abcd1234", "a123456", "aa123456",
        "iloveyou", "letmein", "welcome", "welcome1", "monkey", "dragon", "master", "sunshine", "princess",
        "football", "baseball", "superman", "batman", "shadow", "michael", "jordan", "hunter", "trustno1",
        "charlie", "freedom", "whatever", "starwars", "computer", "secret", "secret1", "admin123",
        "administrator",
        "changeme", "default", "test123", "test1234", "testtest", "google", "killer", "pokemon", "schatz",
    ]
}
