// Names that say nothing are not used, neither for types nor for files and folders.
import Foundation

/// Which words no name may contain, and which kinds no folder may be named after.
enum NameChecks {
    /// Whole words of a name in camel case: `Database` and `Base64` are fine, `NodeBase` is not.
    static let emptyWords: Set<String> = [
        "Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Common", "Base", "Misc",
        "Impl",
    ]
    /// Folders are subjects, such as `Nodes`, never kinds.
    static let kinds: Set<String> = [
        "Protocols", "Extensions", "Models", "Types", "Errors", "Structs", "Enums",
    ]

    static func path(_ path: String) -> [Finding] {
        let parts = path.split(separator: "/").map(String.init)
        let wordFindings = parts.flatMap(words).filter(emptyWords.contains).map {
            Finding(path: path, line: 1, reason: "the name says '\($0)': name the job instead")
        }
        let kindFindings = parts.dropLast().filter(kinds.contains).map {
            Finding(path: path, line: 1, reason: "the folder '\($0)' names a kind: name a subject instead")
        }
        return wordFindings + kindFindings
    }

    static func types(_ source: SourceText) -> [Finding] {
        let declaration = Pattern("\\b(?:struct|class|enum|protocol|actor|typealias)\\s+(\\w+)")
        return declaration.matches(in: source.code).compactMap { match in
            guard let range = Range(match.range(at: 1), in: source.code) else { return nil }
            let name = String(source.code[range])
            guard let word = words(name).first(where: emptyWords.contains) else { return nil }
            let line = source.lineNumber(ofUTF16Offset: match.range.location)
            return Finding(
                path: source.path, line: line, reason: "'\(name)' says '\(word)': name the job instead")
        }
    }

    /// The words of a name: a capital that follows a small letter, and every sign, begin a new one.
    static func words(_ name: String) -> [String] {
        var words: [String] = [""]
        var previous: Character = " "
        for character in name {
            if !character.isLetter && !character.isNumber {
                words.append("")
            } else if character.isUppercase && previous.isLowercase {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
            previous = character
        }
        return words.filter { !$0.isEmpty }
    }
}
