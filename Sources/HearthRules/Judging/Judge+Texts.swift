// The functions of texts.
import HearthCore

extension Judge {
    /// The text that a step yields, for a function of that name.
    private mutating func text(_ step: Int, for name: String) throws(EvaluationError) -> String {
        let value = try value(step)
        guard case .string(let text) = value else {
            throw .operand(of: name, is: value.kind, wanted: "string")
        }
        return text
    }

    /// What `body` makes of the UTF-8 of the text that a step yields, which must not be kept; it may spend
    /// steps.
    ///
    /// Texts of the database and keys are looked at where they lie; a `String` of them would cost more than
    /// most of what is asked of it.
    /// - Parameter name: the function that needs a text.
    mutating func withText<Result>(
        _ step: Int, for name: String, _ body: (UnsafeBufferPointer<UInt8>, inout Int) -> Result
    ) throws(EvaluationError) -> Result {
        var text: String
        switch operations[step] {
        case .value(let snapshot) where !isTracing:
            try spend(1)
            if let plain = try plainText(snapshot) {
                return body(plain.bindMemory(to: UInt8.self), &steps)
            }
            let node = try askedNode(snapshot)
            guard let found = node.text else {
                throw .operand(of: name, is: Value(of: node).kind, wanted: "string")
            }
            text = found
        case .key(let depth) where !isTracing && circumstances?.names == nil:
            try spend(1)
            let key = key(to: depth + 1)
            if let bytes = key.plainBytes {
                return withUnsafeBytes(of: bytes) { bytes in
                    body(
                        UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self).prefix(key.byteCount)),
                        &steps)
                }
            }
            text = key.text
        default:
            text = try self.text(step, for: name)
        }
        return text.withUTF8 { body($0, &steps) }
    }

    /// The text at a snapshot where it lies; nil, without a step, if it does not lie there as it is.
    private mutating func plainText(_ snapshot: Int) throws(EvaluationError) -> UnsafeRawBufferPointer? {
        guard case .newData = operations[snapshot] else { return nil }
        reachNew(location)
        guard let text = levels[location].new.plainText else { return nil }
        try spend(1)
        return text
    }

    /// In UTF-16 code units, as clients count.
    mutating func length(of text: String) throws(EvaluationError) -> Value {
        try spend(text.utf8.count / 64)
        return .integer(Int64(text.utf16.count))
    }

    /// The length of the text that a step yields.
    mutating func length(ofStep step: Int) throws(EvaluationError) -> Value {
        guard !isTracing, case .value(let snapshot) = operations[step] else {
            return try length(of: try text(step, for: "length"))
        }
        try spend(1)
        let lengths = try textLengths(snapshot)
        try spend(lengths.utf8 / 64)
        return .integer(Int64(lengths.utf16))
    }

    /// The length of the text at a snapshot, the steps that lead to its comparison with a constant included.
    mutating func length(at snapshot: Int) throws(EvaluationError) -> Int64 {
        try spend(2)
        let lengths = try textLengths(snapshot)
        try spend(lengths.utf8 / 64 + 1)
        return Int64(lengths.utf16)
    }

    /// Whether the text of a step matches the pattern at a place of its table.
    mutating func matches(_ step: Int, _ place: Int) throws(EvaluationError) -> Bool {
        let expression = expression
        let isFound = try withText(step, for: "matches()") { text, steps in
            expression._withUnsafeGuaranteedRef { $0.tables.patterns[place].isFound(in: text, steps: &steps) }
        }
        guard let isFound else { throw .tooMuchWork }
        return isFound
    }

    /// Whether one text is found in another.
    mutating func finds(
        _ search: StringSearch, _ step: Int, _ argument: Int
    ) throws(EvaluationError) -> Bool {
        let text = try text(step, for: search.call)
        let part = try self.text(argument, for: search.call)
        try spend(text.utf8.count / 32)
        switch search {
        case .beginsWith: return text.utf8.starts(with: part.utf8)
        case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed())
        case .contains: return TextSearch(for: part).firstPlace(in: Array(text.utf8), from: 0) != nil
        }
    }

    mutating func text(_ operation: Operation) throws(EvaluationError) -> Value {
        switch operation {
        case .lowercase(let step):
            let text = try text(step, for: "toLowerCase()")
            try spend(text.utf8.count / 8)
            return .string(text.lowercased())
        case .uppercase(let step):
            let text = try text(step, for: "toUpperCase()")
            try spend(text.utf8.count / 8)
            return .string(text.uppercased())
        case .replace(let step, let old, let new):
            let text = try text(step, for: "replace()")
            let oldPart = try self.text(old, for: "replace()")
            return try replaced(text, oldPart, by: try self.text(new, for: "replace()"))
        default: preconditionFailure("this yields no text")
        }
    }

    /// The text with every occurrence replaced, from the left, none overlapping; nothing occurs between all
    /// characters and at both ends.
    private mutating func replaced(
        _ text: String, _ old: String, by new: String
    ) throws(EvaluationError) -> Value {
        let bytes = Array(text.utf8)
        let replacement = Array(new.utf8)
        let search = TextSearch(for: old)
        var result: [UInt8] = []
        var index = 0
        try spend(bytes.count / 16)
        while let place = search.firstPlace(in: bytes, from: index) {
            result += bytes[index..<place]
            result += replacement
            index = place + search.length
            try spend(1 + replacement.count / 64)
            guard result.count <= Leaf.stringByteLimit else { throw .textTooLong }
            if search.length == 0 {
                guard index < bytes.count else { break }
                let end = bytes[(index + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? bytes.count
                result += bytes[index..<end]
                index = end
            }
        }
        result += bytes[index...]
        guard result.count <= Leaf.stringByteLimit else { throw .textTooLong }
        return .string(String(decoding: result, as: UTF8.self))
    }
}

extension StringSearch {
    fileprivate var call: String {
        switch self {
        case .contains: "contains()"
        case .beginsWith: "beginsWith()"
        case .endsWith: "endsWith()"
        }
    }
}

/// Finds one text in another, in time linear in both (Knuth, Morris and Pratt).
struct TextSearch {
    private let part: [UInt8]
    /// For each length of a beginning: how much of its end is a beginning, too.
    private let borders: [Int]

    var length: Int { part.count }

    init(for text: String) {
        part = Array(text.utf8)
        var borders = [0]
        var border = 0
        for index in 1..<max(1, part.count) {
            while border > 0, part[index] != part[border] { border = borders[border - 1] }
            if part[index] == part[border] { border += 1 }
            borders.append(border)
        }
        self.borders = borders
    }

    /// Where the part first occurs at or after `start`; nil if it does not. UTF-8 does not let it begin
    /// within a character.
    func firstPlace(in bytes: [UInt8], from start: Int) -> Int? {
        if part.isEmpty { return start <= bytes.count ? start : nil }
        var matched = 0
        for index in start..<max(start, bytes.count) {
            while matched > 0, bytes[index] != part[matched] { matched = borders[matched - 1] }
            if bytes[index] == part[matched] { matched += 1 }
            if matched == part.count { return index - matched + 1 }
        }
        return nil
    }
}
