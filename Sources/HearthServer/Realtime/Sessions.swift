// All sessions of the realtime protocol, so that a client is found whichever loop its connection comes to.
import HearthCrypto
import Synchronization

/// Which loop each session belongs to. A leaf lock.
final class Sessions: Sendable {
    private let loops = Mutex<[String: Int]>([:])

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
    static func freshID() -> String {
        String(decoding: letters(32), as: UTF8.self)
    }

    /// Random letters and digits, each as likely as the others.
    private static func letters(_ count: Int) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var letters: [UInt8] = []
        while letters.count < count {
            for byte in SecureRandom.bytes(2 * count) where byte < 4 * 62 && letters.count < count {
                letters.append(alphabet[Int(byte) % 62])
            }
        }
        return letters
    }
}
