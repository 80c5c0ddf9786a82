// Why a request is not done, where the reason lies in the server and not in the request's form.
import HearthStorage
import HearthWire

extension RESTError {
    /// A name that no namespace can have.
    static var badNamespaceName: RESTError {
        RESTError(
            status: 400, text: "A database's name has 1 to 128 letters, digits, hyphens and underscores.")
    }

    /// No more namespaces are made.
    static var tooManyNamespaces: RESTError {
        RESTError(status: 503, text: "There are as many databases as this server allows.")
    }

    /// The journal has no space, so that nothing may be promised.
    static func noSpace(_ failure: StorageFailure) -> RESTError {
        RESTError(status: 503, text: "The write cannot be kept now: \(failure.reason). Try again later.")
    }

    /// A read took longer than its client allows.
    static var readTimedOut: RESTError {
        RESTError(
            status: 400,
            text: "The read took longer than its timeout allows. Ask for less, or allow more time.")
    }

    /// A write is larger than its client allows.
    static func tooLargeToWrite(_ limit: RESTWriteSizeLimit, weight: Int, byteLimit: Int) -> RESTError {
        RESTError(
            status: 400,
            text: """
                Data to write exceeds the maximum size that can be modified with a single request: about \
                \(weight) bytes are written and removed, and writeSizeLimit=\(limit.rawValue) allows \
                \(byteLimit). Write in parts, or allow more.
                """)
    }

    /// The process has as much memory as it may have.
    static func noMemory(used: Int, limit: Int) -> RESTError {
        RESTError(
            status: 503,
            text: """
                The server takes no more data: it uses \(used >> 20) MB of memory and may use \
                \(limit >> 20) MB. Reading and removing go on. Try again later, remove data or raise \
                --max-memory.
                """)
    }

    /// The server is about to end.
    static var stopping: RESTError {
        RESTError(status: 503, text: "The server is stopping. Try again in a moment.")
    }

    /// A request that must not come from where it came.
    static func notAllowed(_ reason: String) -> RESTError {
        RESTError(status: 403, text: reason)
    }
}
