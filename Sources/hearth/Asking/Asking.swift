// Runs requests for commands and turns what goes wrong into what a person can act on.

import HearthClient
import HearthWire

extension Client {
    /// Performs a request; the body of the answer goes to `sink`.
    func ask(_ request: ClientRequest, into sink: ByteSink) throws(CommandFailure) -> ClientAnswer {
        do throws(ClientError) {
            return try perform(request, into: sink)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Performs a request whose answer's body does not matter.
    func ask(_ request: ClientRequest) throws(CommandFailure) -> ClientAnswer {
        try ask(request) { (_: UnsafeRawBufferPointer) throws(ClientError) in }
    }

    /// Performs a request and returns the body of the answer as text, up to 64 MB.
    func text(_ request: ClientRequest) throws(CommandFailure) -> String {
        do throws(ClientError) {
            return String(decoding: try collect(request, limit: 64 << 20).body, as: UTF8.self)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// Adds what to do to what went wrong.
    init(_ error: ClientError) {
        guard error != .local(OutputFile.brokenPipe) else {
            self = .outputClosed
            return
        }
        guard case .refused(let refusal) = error else {
            self = .failed("\(error)")
            return
        }
        self = .failed("\(refusal)" + CommandFailure.advice(refusal))
    }

    private static func advice(_ refusal: ServerRefusal) -> String {
        switch refusal.status {
        case 401, 403:
            "\nsay who asks: --token-file FILE, HEARTH_TOKEN, or on the server's machine --admin-from DIR"
        case 404: "\n'hearth namespaces list' shows the databases, 'hearth namespaces create NAME' makes one"
        case 413: "\n'hearth import' takes data of any size"
        default: ""
        }
    }
}
