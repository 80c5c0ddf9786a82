// History is complete from its floor on, whatever is cut, dropped or forgotten.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("Recovered history")
struct HistoryRingTests {
    private func commit(_ revision: Revision, size: Int = 10, hasUndo: Bool = true) -> Commit {
        let edits = [Edit.put(.known("/a"), Node(.string(String(repeating: "x", count: size))))]
        return Commit(
            revision: revision, time: 1, kind: .set, base: .root, edits: edits,
            undo: hasUndo ? [.put(.known("/a"), .empty)] : nil)
    }

    private func revisions(
        _ ring: HistoryRing, _ name: String = "a", at revision: Revision, lowest: Revision = 0
    ) -> (floor: Revision, revisions: [Revision]) {
        let found = ring.commits(of: name, revision: revision, lowest: lowest)
        return (found.floor, found.commits.map(\.revision))
    }

    @Test("begins before its first commit, or at the present if there is none")
    func beginning() {
        var ring = HistoryRing(HistoryLimits())
        #expect(revisions(ring, at: 9) == (9, []))
        ring.append(commit(7), to: "a")
        ring.append(commit(8), to: "a")
        #expect(revisions(ring, at: 8) == (6, [7, 8]))
        #expect(revisions(ring, at: 8, lowest: 7) == (7, [8]))
    }

    @Test("begins anew after a commit that cannot be undone, after rules, and after a cut")
    func cuts() {
        var ring = HistoryRing(HistoryLimits())
        ring.append(commit(1), to: "a")
        ring.append(commit(2, hasUndo: false), to: "a")
        ring.append(commit(3), to: "a")
        #expect(revisions(ring, at: 3) == (2, [3]))
        ring.append(Commit(revision: 4, time: 1, rules: []), to: "a")
        #expect(revisions(ring, at: 4) == (4, []))
        ring.append(commit(5), to: "a")
        ring.cut("a", floor: 5)
        #expect(revisions(ring, at: 5) == (5, []))
        ring.cut("a", floor: nil)
        ring.append(commit(1), to: "a")
        #expect(revisions(ring, at: 1) == (0, [1]))
    }

    @Test("keeps to its limits, drops the oldest of all, and never has a gap")
    func limits() {
        var random = SeededRandom(for: "history ring")
        for _ in 0..<40 {
            let limits = HistoryLimits(
                byteCount: Int.random(in: 0...8_000, using: &random),
                commitsPerNamespace: Int.random(in: 1...30, using: &random))
            var ring = HistoryRing(limits)
            var newest: [String: Revision] = [:]
            for _ in 0..<200 {
                let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
                let revision = (newest[name] ?? 0) + 1
                newest[name] = revision
                let size = Int.random(in: 0...500, using: &random)
                ring.append(commit(revision, size: size, hasUndo: !random.oneIn(25)), to: name)
                for (name, revision) in newest {
                    let found = revisions(ring, name, at: revision)
                    #expect(found.revisions == Array((found.floor + 1)..<(revision + 1)))
                    #expect(found.revisions.count <= limits.commitsPerNamespace)
                }
            }
        }
    }
}
