// Fuzzes what reads calls of the identity services, up to what they decide.
import HearthCore
import HearthCrypto
import HearthIdentity

/// The first line of the input is the address, the rest is the body. The first byte says with which method it
/// is asked, by whom, and what the body is.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    let path = String(decoding: input[1..<max(1, end)], as: UTF8.self)
    AccountFuzz.ask(path, Array(input[min(end + 1, input.count)...]), form)
}

enum AccountFuzz {
    private static let now: Int64 = 1_800_000_000_000
    /// The root of the accounts with one user in it, whose password nobody knows.
    private static let root = registered()

    private static func settings(_ form: UInt8) -> AccountSettings {
        var settings = AccountSettings(project: "fire3chat", isEmulator: form & 1 == 0)
        settings.passwordCost = .light
        return settings
    }

    private static func registered() -> Node {
        var random = SystemRandomNumberGenerator()
        let call = AccountCall(.signUp, AccountBody())
        let decision = Accounts.decide(
            call, in: .empty, settings: settings(0), findings: PasswordFindings(), now: now, random: &random)
        guard case .answered(let outcome) = decision else {
            preconditionFailure("somebody can sign up without a name")
        }
        return Node.empty.applying(outcome.edits.map { Edit.put($0.path, $0.node) })
    }

    static func ask(_ path: String, _ bytes: [UInt8], _ form: UInt8) {
        do throws(AccountRefusal) {
            let methods: [AccountAddress.Method] = [.post, .get, .patch, .delete]
            let address = try AccountAddress(path: path, method: methods[Int(form >> 1 & 3)])
            let body = try form & 8 == 0 ? AccountBody(json: bytes) : AccountBody(form: fields(bytes))
            let origin = AccountCall.Origin(
                visitor: "192.0.2.1", client: String(decoding: bytes, as: UTF8.self), language: path, key: "k"
            )
            decide(
                AccountCall(address.operation, body, isAdministrator: form & 16 != 0, from: origin),
                settings(form))
        } catch {
            check(error)
        }
    }

    /// The fields of a form as they stand there: decoding them is the HTTP reader's part.
    private static func fields(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        bytes.split(separator: UInt8(ascii: "&")).map { field in
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            return (
                name: String(decoding: field[..<equals], as: UTF8.self),
                value: String(decoding: field[equals...].dropFirst(), as: UTF8.self)
            )
        }
    }

    /// What is decided can be written.
    private static func decide(_ call: AccountCall, _ settings: AccountSettings) {
        var random = SystemRandomNumberGenerator()
        let decision = Accounts.decide(
            call, in: root, settings: settings, findings: PasswordFindings(), now: now, random: &random)
        switch decision {
        case .needs: break
        case .refused(let refusal): check(refusal)
        case .answered(let outcome):
            let after = root.applying(outcome.edits.map { Edit.put($0.path, $0.node) })
            precondition(after.invariantViolation() == nil)
        }
    }

    private static func check(_ refusal: AccountRefusal) {
        precondition(!refusal.message.isEmpty && (400...599).contains(refusal.status))
    }
}
