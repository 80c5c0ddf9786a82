// Values in words against values as they are.
import HearthTesting
import Testing

@testable import HearthCore

@Suite("An ordered value in words")
struct OrderedValueTests {
    private static let texts: [String] = {
        let endings = ["", "a", "\u{0}", "\u{0}b", "é", "😀", "\u{FFFF}", "\u{E000}", "\u{F8FF}z"]
        let lengths = [0, 1, 6, 7, 8, 14, 15, 16, 21, 22, 23, 24, 40]
        return lengths.flatMap { length in
            endings.map { String(repeating: "x", count: length) + $0 }
        }
    }()

    private static let numbers: [Leaf] = {
        let whole: [Int64] = [
            0, 1, -1, 2, 255, 1 << 53, 1 << 53 + 1, 1 << 53 + 2, -(1 << 53) - 1, .max, .max - 1, .max - 512,
            .max - 1_024, .min, .min + 1, .min + 1_025, 1 << 62 + 1,
        ]
        let broken = [0.5, -0.5, 1.5, 1e-300, -1e-300, 1e300, -1e300, 0x1p63, -0x1.8p63, 4.5e15 + 0.5]
        return whole.map { .integer($0) } + broken.map { Leaf(number: $0) }
    }()

    private static let values: [Query.Value] =
        [.null, .object, .leaf(.bool(false)), .leaf(.bool(true))] + numbers.map { .leaf($0) }
        + texts.map { .leaf(.string($0)) }

    @Test("has the order that the values have, and gives them back")
    func order() {
        for left in Self.values {
            #expect(OrderedValue(left).value == left)
            for right in Self.values {
                let (ordering, expected) = (
                    OrderedValue(left).ordering(to: OrderedValue(right)), left.ordering(to: right)
                )
                if ordering != expected { Issue.record("\(left) and \(right): \(ordering), not \(expected)") }
            }
        }
    }

    @Test("is hashed alike when it is equal")
    func hashes() {
        #expect(Set(Self.values.map { OrderedValue($0) }).count == Self.values.count)
        #expect(Set((Self.values + Self.values).map { OrderedValue($0) }).count == Self.values.count)
    }

    @Test("and a key make a place that sorts by both")
    func places() throws {
        var random = SeededRandom(for: "places")
        let names = [
            "a", "b", "3", "20", "a name of more than twenty-four bytes", "a name of more than twenty-five",
        ]
        let keys = try names.map { try Key($0) }
        var pairs: [(value: Query.Value, key: Key)] = []
        for value in Self.values where !random.oneIn(4) {
            for key in keys where !random.oneIn(3) { pairs.append((value, key)) }
        }
        pairs.shuffle(using: &random)
        let sorted = pairs.sorted { left, right in
            switch left.value.ordering(to: right.value) {
            case .ascending: true
            case .descending: false
            case .same: left.key < right.key
            }
        }
        let positions = pairs.map { Query.Position(value: $0.value, key: $0.key) }.sorted()
        #expect(positions.map(\.key) == sorted.map(\.key))
        #expect(positions.map(\.value) == sorted.map(\.value))
        #expect(Set(positions).count == pairs.count)
    }
}
