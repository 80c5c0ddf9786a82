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

    /// In UTF-16 code units, as clients count.
    mutating func length(of text: String) throws(EvaluationError) -> Value {
        try spend(text.utf8.count / 64)
        return .integer(Int64(text.utf16.count))
    }

    mutating func textCondition(_ operation: Operation) throws(EvaluationError) -> Bool {
        switch operation {
        case .matches(let step, let pattern):
            let text = try text(step, for: "matches()")
            guard let isFound = tables.patterns[pattern].isFound(in: text, steps: &steps) else {
                throw .tooMuchWork
            }
            return isFound
        case .search(let search, let step, let argument):
            let text = try text(step, for: search.call)
            let part = try self.text(argument, for: search.call)
            try spend(text.utf8.count / 32)
            switch search {
            case .beginsWith: return text.utf8.starts(with: part.utf8)
            case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed())
            case .contains: return TextSearch(for: part).firstPlace(in: Array(text.utf8), from: 0) != nil
            }
        default: preconditionFailure("this is no question to a text")
        }
    }

    mutating func text(_ operation: Operation) throws(EvaluationError) -> Value {
        switch operation {
        case .length(let step): return try length(of: try text(step, for: "length"))
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
