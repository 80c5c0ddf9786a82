// The one date format that HTTP writes.

/// Moments as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
public enum HTTPDate {
    /// Appends the 29 bytes for a time in whole seconds since 1970, from the year 1970 to 9999.
    public static func append(unixSeconds: Int, to output: inout [UInt8]) {
        precondition(unixSeconds >= 0 && unixSeconds < 253_402_300_800, "a time between 1970 and 9999")
        let days = unixSeconds / 86_400
        let second = unixSeconds % 86_400
        let (year, month, day) = date(daysSince1970: days)
        output.append(name((days + 4) % 7, in: "SunMonTueWedThuFriSat"))
        output.append(", ")
        output.append(twoDigits: day)
        output.append(0x20)
        output.append(name(month - 1, in: "JanFebMarAprMayJunJulAugSepOctNovDec"))
        output.append(0x20)
        output.append(twoDigits: year / 100)
        output.append(twoDigits: year)
        output.append(0x20)
        output.append(twoDigits: second / 3600)
        output.append(0x3a)
        output.append(twoDigits: second / 60 % 60)
        output.append(0x3a)
        output.append(twoDigits: second % 60)
        output.append(" GMT")
    }

    /// The Gregorian date of a day. Years are counted from March, so that the leap day comes last; 400 years
    /// have 146,097 days.
    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func name(_ index: Int, in names: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: names.utf8Start + index * 3, count: 3)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(contentsOf: bytes)
    }
}
