// A system call that did not do what it was asked for.
import Glibc

/// A failed system call: which one, on what, and the system's reason.
public struct SystemFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the call, for instance `bind`.
    public let call: String
    /// What it was about, for instance an address or a path; may be empty.
    public let subject: String
    /// The value of `errno`.
    public let code: Int32

    /// Takes the reason from `errno`, so it must be the first thing after the call.
    init(_ call: String, _ subject: String = "") {
        self.init(call, subject, code: errno)
    }

    init(_ call: String, _ subject: String = "", code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// One sentence, with the number of the error for those who look it up.
    public var description: String {
        let place = subject.isEmpty ? "" : " on \(subject)"
        return "\(call)\(place) failed: \(SystemFailure.text(of: code)) (error \(code))"
    }

    /// The system's words for an error number.
    static func text(of code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, 256) == 0 else { return "unknown" }
            return String(cString: start)
        }
    }
}
