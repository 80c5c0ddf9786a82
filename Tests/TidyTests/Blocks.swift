// Finds the functions of a file by counting braces.

/// A function, initializer or accessor and how it is built.
struct FunctionShape: Equatable {
    var name: String
    /// Counted from 1; the line with `func` or the like.
    var firstLine: Int
    var lineCount = 1
    /// The most blocks of several lines that stand within each other in it, without the exits of `guard`.
    var nesting = 0
    /// The line at which `nesting` was first reached.
    var deepestLine = 0
}

/// Reads the code of one file and collects its functions.
struct BlockReader {
    private struct Block {
        /// Nil for types and for plain blocks.
        var function: FunctionShape?
        let openedLine: Int
        let countsAsNesting: Bool
        /// How deep the blocks of several lines inside go.
        var depthBelow = 0
        var deepestLine = 0
    }

    private static let modifiers =
        "(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:(?:public|private|fileprivate|internal|package|static|final|"
        + "mutating|nonmutating|consuming|borrowing|override|required|convenience|lazy|indirect|"
        + "nonisolated|class)"
        + "(?:\\(\\w+\\))?\\s+)*"
    private static let type = Pattern(
        "^\\s*" + modifiers + "(?:struct|class|enum|protocol|extension|actor)\\s+\\w")
    private static let function = Pattern(
        "^\\s*" + modifiers
            + "(func\\s+[^(<\\s]+|init\\b|deinit\\b|subscript\\b|(?:get|set|willSet|didSet|_read|_modify)\\b)"
    )
    private static let property = Pattern("^\\s*" + modifiers + "var\\s+(\\w+)\\s*:[^=]*$")
    private static let closureProperty = Pattern("^\\s*" + modifiers + "(?:let|var)\\s+(\\w+)[^=]*=\\s*$")
    private static let guarding = Pattern("\\bguard\\b")

    private var stack: [Block] = []
    private(set) var functions: [FunctionShape] = []

    init(_ source: SourceText) {
        var pending: [(line: Int, text: String)] = []
        for (index, code) in source.codeLines.enumerated() {
            pending.append((index + 1, ""))
            for character in code {
                switch character {
                case "{":
                    open(header: BlockReader.header(pending), line: index + 1)
                    pending = [(index + 1, "")]
                case "}":
                    close(line: index + 1)
                    pending = [(index + 1, "")]
                default:
                    pending[pending.count - 1].text.append(character)
                }
            }
        }
    }

    /// The statement that the coming brace belongs to: the last line, and those before it as long as its
    /// parentheses are not closed or it cannot begin a statement.
    private static func header(_ pending: [(line: Int, text: String)]) -> (line: Int, text: String) {
        var lines = pending
        while lines.count > 1, lines.last?.text.allSatisfy(\.isWhitespace) ?? false { lines.removeLast() }
        guard var result = lines.popLast() else { return (1, "") }
        while let previous = lines.popLast() {
            let opens = result.text.count { $0 == "(" }
            let closes = result.text.count { $0 == ")" }
            let start = result.text.drop(while: \.isWhitespace)
            let goesOn = ["where ", "->", "throws", "else", ")", ":"].contains { start.hasPrefix($0) }
            guard closes > opens || goesOn else { break }
            result = (previous.line, previous.text + "\n" + result.text)
        }
        return result
    }

    private mutating func open(header: (line: Int, text: String), line: Int) {
        let isGuard = BlockReader.guarding.isFound(in: header.text)
        let name = functionName(header.text)
        let isType = name == nil && BlockReader.type.isFound(in: header.text)
        stack.append(
            Block(
                function: name.map { FunctionShape(name: $0, firstLine: header.line) },
                openedLine: line, countsAsNesting: name == nil && !isType && !isGuard))
    }

    private func functionName(_ header: String) -> String? {
        if let name = BlockReader.function.groups(1, in: header).first {
            return name.replacing("func ", with: "").trimming()
        }
        if let name = BlockReader.property.groups(1, in: header).first { return name }
        guard !stack.contains(where: { $0.function != nil }) else { return nil }
        return BlockReader.closureProperty.groups(1, in: header).first
    }

    private mutating func close(line: Int) {
        guard var block = stack.popLast() else { return }
        if var function = block.function {
            function.lineCount = line - function.firstLine + 1
            function.nesting = block.depthBelow
            function.deepestLine = block.deepestLine
            functions.append(function)
            return
        }
        if block.countsAsNesting && line > block.openedLine {
            if block.depthBelow == 0 { block.deepestLine = block.openedLine }
            block.depthBelow += 1
        }
        guard let outer = stack.last, block.depthBelow > outer.depthBelow else { return }
        stack[stack.count - 1].depthBelow = block.depthBelow
        stack[stack.count - 1].deepestLine = block.deepestLine
    }
}

extension String {
    /// The text without white space at either end.
    func trimming() -> String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
