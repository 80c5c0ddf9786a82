// Accounts as clients are told about them.
import HearthCore

extension Account {
    /// What stands for a password in answers: base64 of REDACTED. SDKs look whether it is there at all.
    static let redactedPassword = "UkVEQUNURUQ="

    /// The record of `accounts:lookup` (accounts.md §2); no hash, no salt.
    var record: Claims {
        .object(present: [
            "localId": .text(localID), "email": .text(email),
            "emailVerified": email != nil || password != nil ? .bool(isEmailVerified) : .null,
            "displayName": .text(displayName), "photoUrl": .text(photoURL),
            "passwordHash": .text(password.map { _ in Account.redactedPassword }),
            "passwordUpdatedAt": passwordUpdatedAt.map { .integer($0) } ?? .null,
            "validSince": .decimal(validSince), "lastLoginAt": .decimal(lastLoginAt),
            "createdAt": .decimal(createdAt), "lastRefreshAt": .text(lastRefreshAt.map(Moment.text)),
            "providerUserInfo": providers.isEmpty ? .null : .list(providers),
            "disabled": isDisabled ? .bool(true) : .null, "customAttributes": .text(customAttributes),
            "customAuth": hasCustomAuth ? .bool(true) : .null,
            "emailLinkSignin": hasEmailLink ? .bool(true) : .null, "initialEmail": .text(initialEmail),
        ])
    }

    /// The ways in which the user can sign in, as SDKs list them.
    var providers: [Claims] {
        guard hasPasswordProvider else { return [] }
        return [
            .object(present: [
                "providerId": .text("password"), "email": .text(email), "federatedId": .text(email),
                "rawId": .text(email), "displayName": .text(displayName), "photoUrl": .text(photoURL),
            ])
        ]
    }
}

/// Moments as text.
enum Moment {
    /// Milliseconds since 1970 as RFC 3339 in UTC: `2026-11-30T07:14:40.123Z`.
    static func text(_ milliseconds: Int64) -> String {
        let date = civil(milliseconds)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            + "T\(time(milliseconds)).\(padded(milliseconds % 1_000, 3))Z"
    }

    /// Milliseconds since 1970 as mails write it: `Mon, 30 Nov 2026 07:14:40 +0000`.
    static func mailText(_ milliseconds: Int64) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let date = civil(milliseconds)
        let day = days[Int(milliseconds / 86_400_000 % 7)]
        return "\(day), \(padded(date.day, 2)) \(months[Int(date.month) - 1]) \(padded(date.year, 4))"
            + " \(time(milliseconds)) +0000"
    }

    private static func time(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000 % 86_400
        return "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    }

    /// The Gregorian date of a moment after 1970, by eras of 400 years that begin in March.
    private static func civil(_ milliseconds: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = max(0, milliseconds) / 86_400_000 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
