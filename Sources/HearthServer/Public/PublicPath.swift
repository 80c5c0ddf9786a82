// From the path of a request to the steps below the public directory.
import HearthWire

/// The steps of a path below the public directory, decoded; none of them leads up, aside or to a hidden file.
struct PublicPath: Equatable, Sendable {
    /// No step is empty, begins with a dot, or has a slash or a control character.
    let names: [String]
    /// Whether the path ends with a slash, so that it can mean a directory alone.
    let isDirectory: Bool

    /// Takes a path as it was sent, `/assets/logo%20small.png`; nil if no public file can have it.
    ///
    /// Steps are told apart before they are decoded: an encoded slash is part of a name, and no name has one.
    init?(encoded path: ArraySlice<UInt8>) {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var steps = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        isDirectory = steps.last?.isEmpty ?? true
        if isDirectory { steps.removeLast() }
        var names: [String] = []
        for step in steps {
            guard let name = PercentDecoding.path.text(of: step), PublicPath.isName(name) else { return nil }
            names.append(name)
        }
        self.names = names
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), name.utf8.count <= 255 else {
            return false
        }
        return name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// The path of the file that is meant, below the public directory; a directory means its `index.html`.
    var file: String {
        (isDirectory ? names + ["index.html"] : names).joined(separator: "/")
    }

    /// The address of the directory, if it is one: encoded anew, so that it can mean no other host.
    var directoryAddress: String {
        "/" + names.map { PublicPath.encode($0) + "/" }.joined()
    }

    private static func encode(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in name.utf8 {
            if byte.isUnreserved {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether it needs no encoding in a path (RFC 3986 §2.3).
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
