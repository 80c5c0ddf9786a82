// The tree as a whole: what lies at its top, what must be there, and where its texts point.
import Foundation

/// Layout, required files, links, and paths that exist on one machine only.
enum TreeChecks {
    static let topLevel: Set<String> = [
        "Package.swift", "Sources", "Tests", "rules", "samples", "README.md", "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE", "NOTICE",
    ]
    static let required = [
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", ".swift-format", ".ci/run", ".ci/test",
        ".ci/serve", ".ci/fuzz", "rules/fire3chat/rules.json", "rules/fire3chat/cases.json",
        "samples/fire3chat/snapshot.json",
        "samples/fire3chat/story.sh",
    ]
    static let programs = [".ci/run", ".ci/test", ".ci/serve", ".ci/fuzz", "samples/fire3chat/story.sh"]
    /// Folders whose paths mean something on one machine only, put together so that no path stands here.
    static let privateFolders = ["work", "root", "home/\\w+", "Users/\\w+", "opt/swift"]

    static func topLevel(_ entries: [String]) -> [Finding] {
        entries.filter { !$0.hasPrefix(".") && !topLevel.contains($0) && $0 != "hearth-data" }.map {
            Finding(path: $0, line: 1, reason: "the layout has no such entry at the top")
        }
    }

    static func missing(_ paths: Set<String>) -> [Finding] {
        required.filter { !paths.contains($0) }.map { Finding(path: $0, line: 1, reason: "is missing") }
    }

    static func machinePaths(path: String, text: String) -> [Finding] {
        let pattern = Pattern("(?:^|[^A-Za-z0-9_.])/(?:\(privateFolders.joined(separator: "|")))/")
        return pattern.lines(in: text).map {
            Finding(path: path, line: $0, reason: "a path that exists on one machine only")
        }
    }

    /// Links of a Markdown text to files must lead to one of `paths` or a folder of them; links to a heading
    /// of the same text must find it.
    static func links(path: String, text: String, paths: Set<String>) -> [Finding] {
        let prose = withoutCodeBlocks(text)
        let headings = Set(Pattern("^#+\\s+(.*)$").groups(1, in: prose).map(anchor))
        let link = Pattern("\\]\\(([^)\\s]+)[^)]*\\)")
        return prose.components(separatedBy: "\n").enumerated().flatMap { index, line in
            link.groups(1, in: line).compactMap { target -> Finding? in
                guard !target.contains("://") && !target.hasPrefix("mailto:") else { return nil }
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                if parts[0].isEmpty {
                    guard parts.count > 1, !headings.contains(String(parts[1])) else { return nil }
                    return Finding(path: path, line: index + 1, reason: "no heading for the link \(target)")
                }
                guard !leads(to: String(parts[0]), from: path, paths) else { return nil }
                return Finding(path: path, line: index + 1, reason: "the link \(target) leads nowhere")
            }
        }
    }

    private static func leads(to target: String, from path: String, _ paths: Set<String>) -> Bool {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for step in target.split(separator: "/") {
            switch step {
            case ".": break
            case ".." where parts.isEmpty: return false
            case "..": parts.removeLast()
            default: parts.append(String(step))
            }
        }
        let full = parts.joined(separator: "/")
        return paths.contains(full) || paths.contains { $0.hasPrefix(full + "/") }
    }

    /// The text with fenced blocks blanked, line for line.
    private static func withoutCodeBlocks(_ text: String) -> String {
        var fenced = false
        let lines = text.components(separatedBy: "\n").map { line -> String in
            let isFence = line.trimming().hasPrefix("```")
            if isFence { fenced.toggle() }
            return fenced || isFence ? "" : line
        }
        return lines.joined(separator: "\n")
    }

    /// A heading as its anchor: small letters, signs dropped, spaces as hyphens.
    private static func anchor(_ heading: String) -> String {
        let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        return kept.replacingOccurrences(of: " ", with: "-")
    }
}
