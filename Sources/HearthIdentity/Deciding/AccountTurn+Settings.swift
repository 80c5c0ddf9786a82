// What SDKs ask at their start, and what emulators can be asked (accounts.md §9).
import HearthCore

extension AccountTurn {
    /// The settings calls of the SDKs.
    func tellSettings() -> AccountOutcome {
        switch call.operation {
        case .projectConfiguration:
            let domains = ["localhost", "127.0.0.1"] + settings.authorizedDomains
            return AccountOutcome(
                answer: .json([
                    "projectId": .text(settings.project),
                    "authorizedDomains": .list(domains.map { .text($0) }),
                ]))
        case .passwordPolicy: return AccountOutcome(answer: .json(passwordPolicy))
        case .recaptchaConfiguration:
            return AccountOutcome(
                answer: .json(["recaptchaKey": .text(""), "recaptchaEnforcementState": .list([])]))
        default: return AccountOutcome(answer: .json([:]))
        }
    }

    private var passwordPolicy: [String: Claims] {
        let signs = ["^", "$", "*", ".", "[", "]", "{", "}", "(", ")", "?", "\"", "!", "@", "#", "%", "&"]
        let others = ["/", "\\", ",", ">", "<", "'", ":", ";", "|", "_", "~", "-", "+", "=", "`", " "]
        return [
            "customStrengthOptions": .object([
                "minPasswordLength": .integer(Int64(settings.passwordLength)),
                "maxPasswordLength": .integer(Int64(AccountSettings.passwordByteLimit)),
            ]),
            "allowedNonAlphanumericCharacters": .list((signs + others).map { .text($0) }),
            "enforcementState": .text("OFF"), "forceUpgradeOnSignin": .bool(false),
            "schemaVersion": .integer(1),
        ]
    }

    /// What test suites ask of an emulator.
    mutating func actOnEmulator() throws(AccountStop) -> AccountOutcome {
        switch call.operation {
        case .clearAccounts:
            var outcome = AccountOutcome(answer: .json([:]))
            outcome.endedUsers = tree.accounts().map(\.localID)
            tree.clear()
            return outcome
        case .greet: return AccountOutcome(answer: .json(["authEmulator": .object(["ready": .bool(true)])]))
        case .listCodes: return AccountOutcome(answer: .json(["oobCodes": .list(listedCodes)]))
        case .listVerificationCodes: return AccountOutcome(answer: .json(["verificationCodes": .list([])]))
        case .changeEmulator:
            do throws(AccountRefusal) {
                if let hides = try body.object("emailPrivacyConfig")?.bool("enableImprovedEmailPrivacy") {
                    tree.hidesEmails = hides
                }
            } catch {
                throw .refused(error)
            }
            return emulatorConfiguration
        default: return emulatorConfiguration
        }
    }

    private var emulatorConfiguration: AccountOutcome {
        AccountOutcome(
            answer: .json([
                "signIn": .object(["allowDuplicateEmails": .bool(false)]),
                "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .bool(tree.hidesEmails)]),
            ]))
    }

    private var listedCodes: [Claims] {
        tree.listedCodes.map { code, listed in
            .object(present: [
                "email": .text(code.email), "requestType": .text(code.kind.rawValue),
                "oobCode": .text(listed.code), "oobLink": .text(listed.link),
                "newEmail": .text(code.newEmail),
            ])
        }
    }
}
