// All sessions of the realtime protocol, so that a client is found whichever loop its connection comes to.
import Synchronization

/// Which loop each session belongs to. A leaf lock.
final class Sessions: Sendable {
    private let loops = Mutex<[String: Int]>([:])
    private let random: Mutex<Randomness>

    /// - Parameter random: what names are made of.
    init(random: sending Randomness) {
        self.random = Mutex(random)
    }

    /// The loop of a session, nil if there is none of that name.
    func loop(of id: String) -> Int? {
        loops.withLock { $0[id] }
    }

    func enter(_ id: String, on loop: Int) {
        loops.withLock { $0[id] = loop }
    }

    func leave(_ id: String) {
        loops.withLock { $0[id] = nil }
    }

    /// How many there are.
    var count: Int { loops.withLock { $0.count } }

    /// A name that nobody guesses: 32 letters and digits, some 190 random bits.
    func freshID() -> String {
        random.withLock { random in
            let letters = (0..<32).map { _ in
                Sessions.alphabet[Int.random(in: 0..<Sessions.alphabet.count, using: &random)]
            }
            return String(decoding: letters, as: UTF8.self)
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}
