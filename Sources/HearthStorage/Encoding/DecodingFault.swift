// Why stored bytes are not what they should be.

/// Why bytes cannot be read back, and where.
public enum DecodingFault: Error, Hashable, Sendable {
    /// The bytes from `offset` on, counted from where reading began, are not what was written there.
    case malformed(Malformation, offset: Int)
    /// The bytes could not be had.
    case unreadable(StorageFailure)
}

/// In which way bytes are malformed.
public enum Malformation: Hashable, Sendable {
    /// They end too early.
    case endsEarly
    /// They go on after what should be all.
    case goesOn
    /// A checksum differs.
    case checksum
    /// A tag that no version up to this one writes.
    case unknownTag(UInt8)
    /// A kind of record that no version up to this one writes, in a record that is sound.
    case unknownKind(UInt8)
    /// Text that is not UTF-8.
    case notUnicode
    /// A key that is none.
    case badKey
    /// Children out of order, twice, or empty.
    case badChildren
    /// A number that is not in its one form, or beyond its range.
    case badNumber
    /// More levels than any tree has.
    case tooDeep
    /// A field that contradicts another one; the text says which.
    case contradiction(String)

    /// The reason as it goes into a message.
    public var text: String {
        switch self {
        case .endsEarly: "it ends too early"
        case .goesOn: "it goes on after its end"
        case .checksum: "checksum differs"
        case .unknownTag(let tag): "unknown tag \(tag)"
        case .unknownKind(let kind): "unknown kind of record \(kind), written by a newer version"
        case .notUnicode: "text is not UTF-8"
        case .badKey: "a key is not valid"
        case .badChildren: "children are not in order"
        case .badNumber: "a number is not valid"
        case .tooDeep: "the tree has too many levels"
        case .contradiction(let text): text
        }
    }
}
