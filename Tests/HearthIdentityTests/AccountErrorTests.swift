// What is said when a call is not done: every text of the contract, in both modes.
import HearthIdentity
import Testing

@Suite("A call that is not done")
struct AccountErrorTests {
    typealias Row = (
        operation: AccountOperation, body: String, emulator: String, production: String
    )

    private static func same(_ operation: AccountOperation, _ body: String, _ message: String) -> Row {
        (operation, body, message, message)
    }

    static let signingUp: [Row] = [
        same(.signUp, #"{"localId":"x"}"#, "UNEXPECTED_PARAMETER : User ID"),
        same(.signUp, #"{"password":"geheimes wort"}"#, "MISSING_EMAIL"),
        same(.signUp, #"{"email":"bob@chat.example"}"#, "MISSING_PASSWORD"),
        same(.signUp, #"{"email":"","password":"geheimes wort"}"#, "INVALID_EMAIL"),
        same(.signUp, #"{"email":"bob","password":"geheimes wort"}"#, "INVALID_EMAIL"),
        same(.signUp, #"{"email":"a@b@c","password":"geheimes wort"}"#, "INVALID_EMAIL"),
        same(.signUp, #"{"email":"ANN@chat.example","password":"geheimes wort"}"#, "EMAIL_EXISTS"),
        same(.signUp, #"{"email":"ann@chat.example","password":"kurz"}"#, "EMAIL_EXISTS"),
        same(
            .signUp, #"{"email":"bob@chat.example","password":"kurz"}"#,
            "WEAK_PASSWORD : Password should be at least 6 characters"),
        same(
            .signUp, #"{"email":"bob@chat.example","password":"geheimes wort","idToken":"x"}"#,
            "INVALID_ID_TOKEN"),
        same(.signUp, #"{"tenantId":"t"}"#, "UNSUPPORTED_TENANT_OPERATION"),
        same(
            .signUp, #"{"targetProjectId":"p"}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."),
    ]

    static let signingIn: [Row] = [
        same(.signInWithPassword, #"{"password":"geheimes wort"}"#, "MISSING_EMAIL"),
        same(.signInWithPassword, #"{"email":"","password":"x"}"#, "INVALID_EMAIL"),
        same(.signInWithPassword, #"{"email":"ann@chat.example"}"#, "MISSING_PASSWORD"),
        (
            .signInWithPassword, #"{"email":"bob@chat.example","password":"geheimes wort"}"#,
            "EMAIL_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS"
        ),
        (
            .signInWithPassword, #"{"email":"ann@chat.example","password":"Geheimes Wort"}"#,
            "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS"
        ),
        same(.signInWithCustomToken, "{}", "MISSING_CUSTOM_TOKEN"),
        (
            .signInWithCustomToken, #"{"token":"x"}"#,
            "INVALID_CUSTOM_TOKEN : ((Auth Emulator) Invalid assertion format)",
            "INVALID_CUSTOM_TOKEN : it has not three parts"
        ),
        (
            .signInWithCustomToken, #"{"token":"{\"claims\":{}}"}"#, "MISSING_IDENTIFIER",
            "INVALID_CUSTOM_TOKEN : it has not three parts"
        ),
        (
            .signInWithCustomToken, #"{"token":"{\"uid\":\"x\",\"claims\":{\"aud\":1}}"}"#,
            "FORBIDDEN_CLAIM : aud", "INVALID_CUSTOM_TOKEN : it has not three parts"
        ),
        (
            .signInWithCustomToken, #"{"token":"{\"uid\":\"x\",\"claims\":7}"}"#, "INVALID_CLAIMS",
            "INVALID_CUSTOM_TOKEN : it has not three parts"
        ),
        same(.signInWithEmailLink, "{}", "MISSING_EMAIL"),
        same(.signInWithEmailLink, #"{"email":"ann@chat.example"}"#, "MISSING_OOB_CODE"),
        same(
            .signInWithEmailLink, #"{"email":"ann@chat.example","oobCode":"x"}"#, "INVALID_OOB_CODE"),
        same(.createAuthURI, "{}", "MISSING_IDENTIFIER"),
        same(.createAuthURI, #"{"identifier":"ann@chat.example"}"#, "MISSING_CONTINUE_URI"),
        same(
            .createAuthURI, #"{"identifier":"ann","continueUri":"http://localhost"}"#, "INVALID_IDENTIFIER"),
        same(
            .createAuthURI, #"{"identifier":"ann@chat.example","continueUri":"here"}"#,
            "INVALID_CONTINUE_URI"),
        same(.createAuthURI, #"{"providerId":"google.com"}"#, "NOT_IMPLEMENTED"),
        same(.refresh, "{}", "MISSING_GRANT_TYPE"),
        same(.refresh, #"{"grantType":"password"}"#, "INVALID_GRANT_TYPE"),
        same(.refresh, #"{"grant_type":"refresh_token"}"#, "MISSING_REFRESH_TOKEN"),
        same(.refresh, #"{"grantType":"refresh_token","refresh_token":"x"}"#, "INVALID_REFRESH_TOKEN"),
        same(.notOffered, "{}", "OPERATION_NOT_ALLOWED"), same(.notImplemented, "{}", "NOT_IMPLEMENTED"),
    ]

    static let changing: [Row] = [
        same(.lookup, "{}", "MISSING_ID_TOKEN"), same(.lookup, #"{"idToken":"x"}"#, "INVALID_ID_TOKEN"),
        same(.update, "{}", "INVALID_REQ_TYPE : Unsupported request parameters."),
        same(.update, #"{"idToken":"x","customAttributes":"{}"}"#, "INSUFFICIENT_PERMISSION"),
        same(.update, #"{"oobCode":"x"}"#, "INVALID_OOB_CODE"),
        same(.delete, #"{"localId":"x"}"#, "MISSING_ID_TOKEN"),
        same(.sendCode, "{}", "MISSING_REQ_TYPE"), same(.sendCode, #"{"requestType":0}"#, "MISSING_REQ_TYPE"),
        same(.sendCode, #"{"requestType":"RECOVER_EMAIL"}"#, "MISSING_REQ_TYPE"),
        same(
            .sendCode, #"{"requestType":1,"email":"ann@chat.example","returnOobLink":true}"#,
            "INSUFFICIENT_PERMISSION"),
        same(.sendCode, #"{"requestType":"PASSWORD_RESET"}"#, "MISSING_EMAIL"),
        same(.sendCode, #"{"requestType":"VERIFY_EMAIL"}"#, "INVALID_ID_TOKEN"),
        same(.sendCode, #"{"requestType":"VERIFY_AND_CHANGE_EMAIL"}"#, "MISSING_NEW_EMAIL"),
        same(
            .sendCode, #"{"requestType":7,"newEmail":"bob@chat.example"}"#, "MISSING_ID_TOKEN"),
        same(.sendCode, #"{"requestType":"EMAIL_SIGNIN"}"#, "MISSING_EMAIL"),
        same(
            .sendCode, #"{"requestType":6,"email":"ann@chat.example","continueUrl":"x"}"#,
            "INVALID_CONTINUE_URI"),
        same(.resetPassword, "{}", "MISSING_OOB_CODE"),
        same(.resetPassword, #"{"oobCode":"x"}"#, "INVALID_OOB_CODE"),
        same(.signOut, "{}", "MISSING_REFRESH_TOKEN"), same(.sessions, "{}", "MISSING_ID_TOKEN"),
        same(.batchGet, "{}", "Only the administrator may do this."),
        same(.createSessionCookie, "{}", "Only the administrator may do this."),
        same(
            .signUp, #"{"email":7.5}"#,
            "Invalid JSON payload received. The field 'email' must be a text."),
        same(
            .signUp, #"{"email":"x","email":"y"}"#,
            "Invalid JSON payload received. A name stands twice at line 1, column 14."),
        same(.signUp, "[]", "Invalid JSON payload received. Root element must be a message."),
        same(.signUp, "{", "Invalid JSON payload received. Unexpected token at line 1, column 2."),
    ]

    @Test("says why in the words of the contract", arguments: signingUp + signingIn + changing)
    func refused(row: Row) throws {
        for (mode, message) in [
            (AccountStage.Mode.emulator, row.emulator), (.production, row.production),
        ] {
            var stage = try AccountStage(mode)
            _ = try stage.signUp("ann@chat.example")
            let before = stage.stored
            let answer = try stage.call(row.operation, row.body)
            #expect(answer.refusal == message, "\(mode) \(row.operation) \(row.body)")
            #expect(stage.stored == before, "a refused call changes nothing")
        }
    }

    @Test("exists for the emulator alone where the contract says so")
    func emulatorsOnly() throws {
        for operation: AccountOperation in [
            .clearAccounts, .listCodes, .listVerificationCodes, .readEmulator, .changeEmulator,
        ] {
            var production = try AccountStage(.production)
            #expect(try production.call(operation).refusal == "Not Found")
            var emulator = try AccountStage(.emulator)
            #expect(try emulator.call(operation).refusal == nil)
        }
    }
}
