// A value that several threads change, and whose changes they wait for.
import Foundation
import Synchronization

/// Guards a value and wakes those who wait for a condition on it.
final class Monitor<Value: Sendable>: Sendable {
    private let changed = NSCondition()
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// Changes the value.
    func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        changed.lock()
        defer {
            changed.broadcast()
            changed.unlock()
        }
        return value.withLock { body(&$0) }
    }

    /// Waits until `body` returns something, at most so many seconds; nil then.
    func wait<Result: Sendable>(
        atMost seconds: Double, _ body: @Sendable (Value) -> Result?
    ) -> Result? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        changed.lock()
        defer { changed.unlock() }
        while true {
            if let result = value.withLock({ body($0) }) { return result }
            guard changed.wait(until: deadline) else { return value.withLock { body($0) } }
        }
    }
}
