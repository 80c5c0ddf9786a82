// The orders of values and of priorities.
import HearthCore
import Testing

@Suite("The order")
struct OrderingTests {
    private func check<Value>(_ values: [Value], _ compare: (Value, Value) -> Ordering) {
        for (index, left) in values.enumerated() {
            for (other, right) in values.enumerated() {
                #expect(compare(left, right) == Ordering(index, other), "\(left) and \(right)")
                #expect(compare(right, left) == compare(left, right).reversed)
            }
        }
    }

    @Test("of values is false, true, numbers, strings by UTF-16")
    func leaves() {
        let values: [Leaf] = [
            .bool(false), .bool(true), .double(-.greatestFiniteMagnitude), .double(-0x1p63 * 2),
            .integer(.min),
            .integer(-9_007_199_254_740_993), .integer(-9_007_199_254_740_992), .double(-1.5), .integer(-1),
            .double(-0.5), .integer(0), .double(.leastNonzeroMagnitude), .double(0.5), .integer(1),
            .double(1.5), .integer(2),
            .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .integer(.max - 1),
            .integer(.max),
            .double(0x1p63), .double(1e300), .string(""), .string("10"), .string("9"), .string("B"),
            .string("a"),
            .string("ab"), .string("é"), .string("日"), .string("😀"), .string("\u{E000}"), .string("\u{FFFF}"),
        ]
        check(values) { $0.ordering(to: $1) }
        check([Query.Value.null] + values.map { .leaf($0) } + [.object]) { $0.ordering(to: $1) }
    }

    @Test("of priorities is none, numbers, strings by UTF-16")
    func priorities() {
        let priorities: [Priority] = [
            .none, .number(-1), .number(0), .number(24), .number(500), .number(1e300), .string(""),
            .string("0horse"), .string("a"), .string("😀"), .string("\u{FFFF}"),
        ]
        check(priorities) { $0.ordering(to: $1) }
    }

    @Test("takes equal things for the same")
    func same() {
        #expect(Leaf.string("abc").ordering(to: .string("abc")) == .same)
        #expect(Query.Value.object.ordering(to: .object) == .same)
        #expect(Priority.number(0).ordering(to: .number(-0.0)) == .same)
        #expect(Ordering.same.reversed == .same)
    }

    @Test(
        "has each number in one form only",
        arguments: [
            (5.0, Leaf.integer(5)), (-0.0, .integer(0)), (0.5, .double(0.5)), (-0x1p63, .integer(.min)),
            (0x1p63, .double(0x1p63)), (1e300, .double(1e300)),
        ])
    func canonicalNumbers(double: Double, leaf: Leaf) {
        #expect(Leaf(number: double) == leaf)
    }
}
