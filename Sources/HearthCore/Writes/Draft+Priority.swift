// A draft that stands where a priority belongs.

extension Draft {
    /// The priority that the draft says, read by itself: a number, a string, null or a server value; nil if
    /// it says something else.
    public var priority: Draft.Placeholder.Resolution? {
        guard node.priority == .none else { return nil }
        if let placeholder = placeholders.first {
            guard placeholders.count == 1, placeholder.path.isRoot, case .value(.none) = placeholder.target
            else { return nil }
            return .serverValue(placeholder.serverValue)
        }
        switch node.leaf {
        case nil where node.isEmpty: return .known(.none)
        case .integer(let number): return .known(.number(Double(number)))
        case .double(let number): return .known(.number(number))
        case .string(let text): return .known(.string(text))
        case .bool, nil: return nil
        }
    }
}
