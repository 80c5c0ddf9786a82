// What is wrong with a JSON text of the operator's or administrator's, in words.
import HearthCore
import HearthJSON

extension ClaimsError {
    /// The place and the reason in one line, never used for tokens.
    var sentence: String {
        switch self {
        case .json(let error): "\(error)"
        case .doubledName(let place): "\(place): a name stands twice in one object"
        }
    }
}
