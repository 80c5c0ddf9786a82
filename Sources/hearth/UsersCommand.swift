// `hearth users`: the accounts of a server, for its administrator.

import HearthClient
import HearthCore
import HearthWire

/// Adds, lists, shows, disables, resets and removes users, and says who may sign tokens for them.
enum UsersCommand {
    private static let force = Option.flag("force", "removes without asking")
    private static let name = Option.value("name", "NAME", "what 'add' lets others see the user as")
    private static let uid = Option.value("uid", "UID", "the uid of the user that 'add' makes")
    private static let passwordFile = Option.value(
        "password-file", "FILE", "the password of the user that 'add' makes; - reads standard input")
    private static let output = Option.value(
        "output", "FILE", "where 'service-account' writes the private key; a new file", letter: "o")
    private static let project = Option.value("project", "ID", "the server's project; hearth if not given")

    static let command = Command(
        name: "users", summary: "adds, lists, shows, disables, resets or removes the accounts of users",
        operands: [
            .required("ACTION", actions.joined(separator: ", ")),
            .optional("USER", "an address or a uid; for 'service-account' a name"),
        ],
        options: [name, uid, passwordFile, output, project, force]
            + ServerOptions.all.filter { $0 != ServerOptions.namespace },
        notes: [
            "It needs the administrator's token. 'list' prints uid, address, name and state, with tabs. "
                + "'disable' and 'revoke' end what the user has signed in to, at once; 'reset' prints a link "
                + "that sets a new password, once. 'sessions' shows where the user is signed in.",
            "'service-account' lets a back end sign custom tokens: it writes a file in the form that Admin "
                + "SDKs read, whose private key the server does not keep.",
        ],
        examples: [
            "hearth users add ann@chat.example --name Ann --password-file - --admin-from hearth-data",
            "hearth users disable ann@chat.example --admin-from hearth-data",
        ], run: run)

    private static let actions = [
        "add", "list", "show", "disable", "enable", "revoke", "sessions", "reset", "remove",
        "service-account", "service-accounts", "remove-service-account", "rotate-keys",
    ]

    private static func run(_ invocation: Invocation) throws(CommandFailure) {
        let service = UserService(
            client: try ServerOptions.client(invocation), project: invocation.value(of: project) ?? "hearth")
        let user = invocation.operand(1)
        switch (invocation.requiredOperand(0), user) {
        case ("list", nil): try list(service, invocation)
        case ("service-accounts", nil): try listSigners(service, invocation)
        case ("rotate-keys", nil):
            _ = try service.post(":rotateKeys", .object([:]))
            invocation.console.tell("a new key is published; it signs from an hour from now on")
        case ("add", let address?): try add(address, service, invocation)
        case ("service-account", let signer?): try addSigner(signer, service, invocation)
        case ("remove-service-account", let signer?): try removeSigner(signer, service, invocation)
        case (let action, let user?) where actions.contains(action) && !listing.contains(action):
            try act(action, try service.find(user), service, invocation)
        case (let action, _): throw misuse(action, user)
        }
    }

    private static let listing = ["list", "service-accounts", "rotate-keys"]

    private static func misuse(_ action: String, _ user: String?) -> CommandFailure {
        guard actions.contains(action) else {
            let near = Suggestion.nearest(to: action, among: actions)
            return .misused(
                "unknown action '\(action)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
                    + "; usage: \(command.usage)")
        }
        return .misused(user == nil ? "USER is missing; usage: \(command.usage)" : "\(action) takes no USER")
    }

    private static func act(
        _ action: String, _ user: User, _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        let console = invocation.console
        switch action {
        case "show": try console.print(user.json)
        case "disable", "enable":
            let change: [String: Claims] = ["disableUser": .leaf(.bool(action == "disable"))]
            try service.update(user, change)
            console.tell("\(user.title) is \(action)d")
        case "revoke":
            try service.update(user, ["validSince": .leaf(.string(String(service.seconds)))])
            console.tell("\(user.title) is signed in nowhere now")
        case "sessions":
            for line in try service.sessions(of: user) { try console.print(line) }
        case "reset": try console.print(try service.resetLink(user))
        default: try remove(user, service, invocation)
        }
    }

    private static func list(_ service: UserService, _ invocation: Invocation) throws(CommandFailure) {
        var token: String?
        repeat {
            let (users, next) = try service.page(after: token)
            for user in users { try invocation.console.print(user.line) }
            token = next
        } while token != nil
    }

    private static func add(
        _ address: String, _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        var fields: [String: Claims] = ["email": .leaf(.string(address))]
        if let name = invocation.value(of: name) { fields["displayName"] = .leaf(.string(name)) }
        if let uid = invocation.value(of: uid) { fields["localId"] = .leaf(.string(uid)) }
        if let file = invocation.value(of: passwordFile) {
            let text = try SmallFile.read(file, limit: 64 << 10)
            fields["password"] = .leaf(.string(String(text.trimmed)))
        }
        let answer = try service.post("/accounts", .object(fields))
        try invocation.console.print(answer.member("localId").text ?? "")
        guard fields["password"] == nil else { return }
        invocation.console.tell("'hearth users reset \(address)' gives a link to set a password")
    }

    private static func remove(
        _ user: User, _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        if !invocation.has(force) {
            try invocation.console.confirm(
                "Remove \(user.title) for good?", otherwise: "removing \(user.title) needs a yes")
        }
        _ = try service.post("/accounts:delete", .object(["localId": .leaf(.string(user.localID))]))
        invocation.console.tell("removed \(user.title)")
    }

    private static func listSigners(
        _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        guard case .list(let signers) = try service.get("/signers").member("signers") else { return }
        for signer in signers { try invocation.console.print(signer.member("name").text ?? "") }
    }

    /// The private key is made here and goes nowhere but into the file.
    private static func addSigner(
        _ signer: String, _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        guard let path = invocation.value(of: output) else {
            throw .misused("say where the private key is to be written: --output FILE")
        }
        let account = ServiceAccount(name: signer, project: service.project)
        try PrivateFile.write(account.json, to: path)
        _ = try service.post(
            "/signers",
            .object(["name": .leaf(.string(signer)), "publicKey": .leaf(.string(account.publicKey))]))
        invocation.console.tell("\(signer) may sign custom tokens with the key in \(path)")
    }

    private static func removeSigner(
        _ signer: String, _ service: UserService, _ invocation: Invocation
    ) throws(CommandFailure) {
        _ = try service.ask(.delete, "/signers", query: [("name", signer)], nil)
        invocation.console.tell("\(signer) may sign custom tokens no more")
    }
}
