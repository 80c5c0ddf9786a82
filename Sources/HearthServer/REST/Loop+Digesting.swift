// The ETag of a large value is made by a worker, the first time that anybody asks for it.
import HearthCore

extension Loop {
    /// Has a worker make the digest of a value, then goes on in the connection's turn.
    ///
    /// Digests are kept by the tree: whoever asks for it afterwards finds it there.
    func digest(
        _ node: Node, on connection: Connection, then goOn: @escaping @Sendable (Loop, Connection) -> Void
    ) {
        connection.incoming = .blocked
        let (token, mailbox) = (connection.token, mailbox)
        services.workers.run {
            _ = node.digest
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    goOn(loop, connection)
                })
        }
    }
}
