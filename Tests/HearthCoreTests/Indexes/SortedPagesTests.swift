// The sorted set against a plain sorted array.
import HearthTesting
import Testing

@testable import HearthCore

extension Int: PageElement {}

/// An element whose payload does not count in comparisons.
private struct Labelled: PageElement {
    final class Label: Sendable {}

    let number: Int
    let label: Label?

    var separator: Labelled { Labelled(number: number, label: nil) }

    static func < (left: Labelled, right: Labelled) -> Bool { left.number < right.number }
    static func == (left: Labelled, right: Labelled) -> Bool { left.number == right.number }
}

@Suite("A sorted set in pages")
struct SortedPagesTests {
    @Test("agrees with a sorted array, and old ones stay as they were")
    func model() {
        var random = SeededRandom(for: "sorted pages")
        var pages = SortedPages<Int>()
        var model: [Int] = []
        var kept: [(pages: SortedPages<Int>, model: [Int])] = []
        for round in 0..<6_000 {
            // Grow, shrink, grow again: pages split and join.
            let removes = (round / 1_500) % 2 == 1 ? !random.oneIn(4) : random.oneIn(4)
            let value = Int.random(in: 0..<2_000, using: &random)
            if removes {
                pages.remove(value)
                model.removeAll { $0 == value }
            } else {
                pages.insert(value)
                let index = model.partitionPoint { $0 < value }
                if index == model.count || model[index] != value { model.insert(value, at: index) }
            }
            #expect(pages.count == model.count)
            if random.oneIn(300) {
                kept.append((pages, model))
                expectEqual(pages, model)
                let bound = Int.random(in: -1...2_000, using: &random)
                #expect(Array(pages.ascending { $0 < bound }) == model.filter { $0 >= bound })
                #expect(Array(pages.descending { $0 < bound }) == model.filter { $0 < bound }.reversed())
                #expect(pages.find(bound) == (model.contains(bound) ? bound : nil))
            }
        }
        for (pages, model) in kept { expectEqual(pages, model) }
    }

    @Test("is built from a sorted array", arguments: [0, 1, 31, 32, 33, 1_024, 1_025, 40_000])
    func built(count: Int) {
        let pages = SortedPages(sorted: Array(0..<count))
        expectEqual(pages, Array(0..<count))
    }

    @Test("keeps its pages full when elements come in ascending order")
    func ascending() {
        var pages = SortedPages<Int>()
        for value in 0..<10_000 { pages.insert(value) }
        #expect(pageCount(pages.root) < 10_000 / 32 * 11 / 10)
        expectEqual(pages, Array(0..<10_000))
    }

    @Test("keeps nothing of an element whose place an equal one has taken", arguments: [1, 2])
    func forgets(rounds: Int) {
        var random = SeededRandom(for: "sorted pages forget")
        let numbers = (0..<2_000).shuffled(using: &random)
        var pages = SortedPages<Labelled>()
        var labels: [() -> Labelled.Label?] = []
        for round in 0...rounds {
            for number in numbers {
                let label = Labelled.Label()
                if round < rounds { labels.append { [weak label] in label } }
                pages.insert(Labelled(number: number, label: label))
            }
        }
        #expect(labels.allSatisfy { $0() == nil })
        #expect(pages.ascending().allSatisfy { $0.label != nil })
        #expect(pages.count == numbers.count)
    }

    @Test("shares with the set before all pages but those on the way to the change")
    func shares() {
        let before = SortedPages(sorted: Array(stride(from: 0, to: 200_000, by: 2)))
        for value in [-1, 77_777, 200_001] {
            var after = before
            after.insert(value)
            let new = pages(after.root).subtracting(pages(before.root))
            #expect(new.count <= 2 * 5 + 1)
        }
    }

    @Test("is empty again when all is taken out, from either end or at random", arguments: 0..<3)
    func emptied(order: Int) {
        var random = SeededRandom(seed: 5)
        var pages = SortedPages(sorted: Array(0..<3_000))
        var values = Array(0..<3_000)
        if order == 1 { values.reverse() }
        if order == 2 { values.shuffle(using: &random) }
        for value in values {
            pages.remove(value)
            pages.remove(-1)
        }
        #expect(pages.isEmpty)
        #expect(Array(pages.ascending()).isEmpty)
        #expect(Array(pages.descending()).isEmpty)
    }

    private func pageCount(_ page: SortedPages<Int>.Page?) -> Int {
        page.map { $0.children.reduce(1) { $0 + pageCount($1) } } ?? 0
    }

    private func pages(_ page: SortedPages<Int>.Page?) -> Set<ObjectIdentifier> {
        guard let page else { return [] }
        return page.children.reduce([ObjectIdentifier(page)]) { $0.union(pages($1)) }
    }

    private func expectEqual(_ pages: SortedPages<Int>, _ model: [Int]) {
        #expect(pages.count == model.count)
        #expect(Array(pages.ascending()) == model)
        #expect(Array(pages.descending()) == model.reversed())
        #expect(depths(pages.root).count <= 1, "all leaf pages lie equally deep")
    }

    private func depths(_ page: SortedPages<Int>.Page?) -> Set<Int> {
        guard let page else { return [] }
        if page.children.isEmpty { return [0] }
        return page.children.reduce(into: []) { $0.formUnion(depths($1).map { $0 + 1 }) }
    }
}
