// Threads of the system, started with a name and waited for.
import CLinux
import Glibc

/// A running thread of ours. Whoever holds it must join it.
struct RunningThread: Sendable {
    private let id: pthread_t

    /// Starts a thread that runs `body` once.
    ///
    /// - Parameter name: shown by tools such as `top -H`; at most 15 bytes.
    /// - Throws: `SystemFailure` when the system gives no more threads.
    static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemFailure) -> RunningThread {
        let entry = Unmanaged.passRetained(ThreadEntry(name: name, body: body))
        var id = pthread_t()
        let code = pthread_create(&id, nil, runThread, entry.toOpaque())
        guard code == 0 else {
            entry.release()
            throw SystemFailure("pthread_create", name, code: code)
        }
        return RunningThread(id: id)
    }

    /// Waits until the thread has ended. Once only, and never from the thread itself.
    func join() {
        let code = pthread_join(id, nil)
        precondition(code == 0, "a thread is joined twice or by itself")
    }
}

/// What a thread takes with it.
private final class ThreadEntry: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let entry = Unmanaged<ThreadEntry>.fromOpaque(context).takeRetainedValue()
    pthread_setname_np(pthread_self(), entry.name)
    entry.body()
    return nil
}
