// Regular expressions: the documented subset, against a table and against a plain backtracking matcher.
import Foundation
import HearthCore
import HearthRules
import HearthTesting
import Testing

@Suite("A pattern")
struct PatternTests {
    private func isFound(_ pattern: String, in text: String, ignoringCase: Bool = false) throws -> Bool? {
        var steps = 1_000_000
        return try Pattern(pattern, ignoresCase: ignoringCase).isFound(in: text, steps: &steps)
    }

    @Test(
        "is found",
        arguments: [
            ("bar", "xxbarxx"), ("^bar", "barxx"), ("bar$", "xxbar"), ("^bar$", "bar"), ("^$", ""),
            ("^", "x"),
            ("a*", ""), ("^a?b+$", "bbb"), ("^(foo|ba[rz])$", "baz"), ("^a\\.b$", "a.b"), ("^\\d{3}$", "123"),
            ("^\\w+\\s\\S$", "a_1\u{A0}ä"), ("^[^aeiou]+$", "xyz"), ("^[a-c-]+$", "a-c"),
            ("^[\\]\\\\-]+$", "]\\-"),
            ("^.{2}$", "ä😀"), ("^[^]$", "\n"), ("^a{2,}$", "aaaa"), ("^(ab){2}$", "abab"),
            ("^(a|b)*c$", "abbac"),
            ("^\\/p\\/[0-9]+$", "/p/7"), ("^\\x41\\u00e4\\t$", "Aä\t"), ("^[\\d\\-x]+$", "1-x"), ("]", "]"),
            ("^(a*)*$", "aaa"), ("^a*?$", "aa"), ("^[ä-ö]$", "é"), ("^|a", ""), ("^a|b$", "xxb"),
            ("^a|b$", "axx"),
            ("^\\_$", "_"), ("^((a|b){1,2}){2}$", "abb"), ("^[\\D]$", "x"), ("^[\\W\\d]+$", "1ä"),
            ("a{0}b", "b"),
        ])
    func found(pattern: String, text: String) throws {
        #expect(try isFound(pattern, in: text) == true)
    }

    @Test(
        "is not found",
        arguments: [
            ("bar", "ba"), ("^bar", "xbar"), ("bar$", "barx"), ("BAR", "bar"), ("^.$", "\n"),
            ("^.$", "\u{2028}"),
            ("^a{2}$", "aaa"), ("^\\d{3}$", "12"), ("^[^a]$", "a"), ("[]", "x"), ("^\\w$", "ä"), ("^$", " "),
            ("^(a|b)*$", "abc"), ("^a{2,3}$", "a"), ("^a{2,3}$", "aaaa"), ("^[ä-ö]$", "z"), ("^a|b$", "xax"),
            ("^[^\\d]$", "5"), ("^[^ä]$", "ä"),
        ])
    func notFound(pattern: String, text: String) throws {
        #expect(try isFound(pattern, in: text) == false)
    }

    @Test(
        "with the flag i takes either case, beyond ASCII too",
        arguments: [("BAR", "xbar"), ("^[a-z]+$", "ABC"), ("^ä$", "Ä"), ("^[Ж]$", "ж"), ("^[^a]$", "B")])
    func ignoringCase(pattern: String, text: String) throws {
        #expect(try isFound(pattern, in: text, ignoringCase: true) == true)
        #expect(try isFound("^[^a]$", in: "A", ignoringCase: true) == false)
        #expect(try isFound("^[^ä]$", in: "Ä", ignoringCase: true) == false)
    }

    @Test(
        "is refused with the reason and the place",
        arguments: [
            ("", "empty alternative", 0), ("a|", "empty alternative", 2), ("(|a)", "empty alternative", 1),
            ("(^a$|b)", "'^' may only stand at the start", 1), ("a$b", "'$' may only stand at the end", 1),
            ("(a$)", "'$' may only", 2), ("(?:a)", "nothing to repeat", 1), ("*a", "nothing to repeat", 0),
            ("^*", "nothing to repeat", 1), ("a{2,1}", "numbers out of order", 5),
            ("a{", "expected a number", 2),
            ("a{1", "expected '}'", 3), ("a{5000}", "above 4000", 5), ("(a", "unmatched '('", 2),
            ("a)", "unmatched ')'", 1), ("[a", "unterminated class", 2), ("[z-a]", "range out of order", 4),
            ("[a-\\d]", "ends with a class", 5), ("\\1", "'\\1' is not supported", 1),
            ("ä\\b", "'\\b' is not supported", 3), ("a\\", "ends with '\\'", 2),
            ("\\xg1", "hexadecimal digit", 2),
            ("((a{1000}){1000})", "too large", 0),
            (String(repeating: "(", count: 60) + "a", "nested too deeply", 50),
            ("a" + String(repeating: "*", count: 60), "nested too deeply", 52),
        ])
    func refused(pattern: String, reason: String, offset: Int) {
        do {
            _ = try Pattern(pattern)
            Issue.record("taken")
        } catch {
            #expect(error.message.contains(reason))
            #expect(error.offset == offset)
        }
    }

    @Test(
        "takes time linear in the text, whatever it is",
        arguments: ["(a+)+b", "(a|a)*b", "(a*)*b", "(a?){30}a{30}b", "(.*)(.*)(.*)b$", "(a|aa)+b"])
    func evil(pattern: String) throws {
        let compiled = try Pattern(pattern)
        func steps(_ count: Int) -> Int {
            var left = Int.max / 2
            #expect(compiled.isFound(in: String(repeating: "a", count: count), steps: &left) == false)
            return Int.max / 2 - left
        }
        let (short, long) = (steps(10_000), steps(100_000))
        #expect(long < short * 11 && long > short * 9)
        #expect(long < 100_000 * 300)
    }

    @Test("takes three steps for each character where it is a set for each, with or without a walk")
    func straight() throws {
        let pattern = try Pattern("^[-0-9a-z]{5}$")
        for limit in 0...40 {
            var left = limit
            let found = pattern.isFound(in: "ab-09", steps: &left)
            #expect(found == (limit > 14 ? true : nil), "in \(limit)")
            if found != nil { #expect(left == limit - 16) }
        }
        for text in ["", "a", "ab-0", "ab-091", "ab-0Z", "Ab-09", "ab-0é", "ab-é", "ééééé", "ab-0\u{7F}"] {
            var left = 100
            #expect(pattern.isFound(in: text, steps: &left) == false, "\(text)")
        }
    }

    @Test(
        "counts characters right, however many it has states for",
        arguments: [(1, 3), (20, 20), (3, 30), (0, 59), (1, 61), (1, 62), (1, 63), (2, 64), (50, 90)])
    func counts(least: Int, most: Int) throws {
        for isWhole in [true, false] {
            let source = isWhole ? "^[a-z]{\(least),\(most)}$" : "x[a-z]{\(least),\(most)}y"
            let pattern = try Pattern(source)
            for count in max(0, least - 2)...most + 2 {
                let letters = String(repeating: "b", count: count)
                var steps = 1_000_000
                let isFound = pattern.isFound(in: isWhole ? letters : "ax\(letters)yz", steps: &steps)
                #expect(isFound == (count >= least && count <= most), "\(count) in \(source)")
                #expect(steps >= 1_000_000 - (count + 4) * (6 * most + 10))
            }
        }
    }

    @Test("takes as many steps from a table for every text of a length, and walks where those are not left")
    func tables() throws {
        let pattern = try Pattern("^[0-9]{4}\\/[0-9]{2}, [0-9]{1,2}:[0-9]{2}$")
        for text in ["2024/03, 9:04", "2024/03, 19:4", "2024/03, 9:0x", "xxxxxxxxxxxxx"] {
            var left = 1_000
            #expect(pattern.isFound(in: text, steps: &left) == (text == "2024/03, 9:04"), "\(text)")
            #expect(left == 1_000 - 40)
            left = 40
            let walked = pattern.isFound(in: text, steps: &left)
            #expect(walked == nil || walked == (text == "2024/03, 9:04"), "\(text)")
        }
    }

    @Test("gives up when its steps are used up, and says so")
    func exhausted() throws {
        var steps = 1_000
        #expect(try Pattern("(a+)+b").isFound(in: String(repeating: "a", count: 5_000), steps: &steps) == nil)
        #expect(steps <= 0)
    }

    @Test("agrees with plain backtracking on random small patterns and texts")
    func model() throws {
        var random = SeededRandom(for: "patterns against backtracking")
        var found = 0
        for _ in 0..<4_000 {
            let tree = ModelPattern.random(depth: 3, using: &random)
            let anchors = (random.oneIn(3), random.oneIn(3))
            let source = (anchors.0 ? "^" : "") + tree.source + (anchors.1 ? "$" : "")
            let pattern = try Pattern(source)
            for _ in 0..<4 {
                let count = Int.random(in: 0...6, using: &random)
                let text = String((0..<count).map { _ in "abä".randomElement(using: &random) ?? "a" })
                var steps = 100_000
                let expected = tree.isFound(in: Array(text), anchors: anchors)
                #expect(pattern.isFound(in: text, steps: &steps) == expected, "/\(source)/ in '\(text)'")
                if expected { found += 1 }
            }
        }
        #expect(found > 1_000)
    }
}

/// A pattern that is matched by trying everything.
private indirect enum ModelPattern {
    case one(Set<Character>, String)
    case sequence(ModelPattern, ModelPattern)
    case choice(ModelPattern, ModelPattern)
    case repeated(ModelPattern, ClosedRange<Int>, String)

    static func random(depth: Int, using random: inout SeededRandom) -> ModelPattern {
        switch depth == 0 ? 0 : Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            let atoms: [(Set<Character>, String)] = [
                (["a"], "a"), (["b"], "b"), (["ä"], "ä"), (["a", "b"], "[ab]"), (["b", "ä"], "[^a]"),
                (["a", "b", "ä"], "."), (["a", "b"], "\\w"), (["ä"], "\\W"),
            ]
            let atom = atoms[Int.random(in: 0..<atoms.count, using: &random)]
            return .one(atom.0, atom.1)
        case 2, 3:
            return .sequence(
                .random(depth: depth - 1, using: &random), .random(depth: depth - 1, using: &random))
        case 4:
            return .choice(
                .random(depth: depth - 1, using: &random), .random(depth: depth - 1, using: &random))
        default:
            // Texts have at most six characters: nine times is any number.
            let counts: [(ClosedRange<Int>, String)] = [
                (0...9, "*"), (1...9, "+"), (0...1, "?"), (2...2, "{2}"), (1...3, "{1,3}"), (2...9, "{2,}"),
            ]
            let count = counts[Int.random(in: 0..<counts.count, using: &random)]
            return .repeated(.random(depth: depth - 1, using: &random), count.0, count.1)
        }
    }

    var source: String {
        switch self {
        case .one(_, let source): source
        case .sequence(let first, let second): "(\(first.source))(\(second.source))"
        case .choice(let first, let second): "(\(first.source)|\(second.source))"
        case .repeated(let part, _, let count): "(\(part.source))\(count)"
        }
    }

    func isFound(in text: [Character], anchors: (start: Bool, end: Bool)) -> Bool {
        let starts = anchors.start ? [0] : Array(0...text.count)
        return starts.contains { start in
            ends(text, from: start).contains { !anchors.end || $0 == text.count }
        }
    }

    /// Where a match that begins at `start` can end.
    private func ends(_ text: [Character], from start: Int) -> Set<Int> {
        switch self {
        case .one(let characters, _):
            return start < text.count && characters.contains(text[start]) ? [start + 1] : []
        case .sequence(let first, let second):
            return Set(first.ends(text, from: start).flatMap { second.ends(text, from: $0) })
        case .choice(let first, let second):
            return first.ends(text, from: start).union(second.ends(text, from: start))
        case .repeated(let part, let range, _):
            var reached: Set<Int> = [start]
            var all: Set<Int> = range.lowerBound == 0 ? [start] : []
            for count in 1...range.upperBound {
                reached = Set(reached.flatMap { part.ends(text, from: $0) })
                if count >= range.lowerBound { all.formUnion(reached) }
            }
            return all
        }
    }
}
