// What ends a simulation before its time.

/// A promise that was broken.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
