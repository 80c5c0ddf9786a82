// First in, first out, against a plain array.
import HearthTesting
import Testing

@testable import HearthEngine

@Suite("A queue")
struct QueueTests {
    @Test("agrees with an array")
    func model() {
        var random = SeededRandom(for: "queue")
        var queue = Queue<Int>()
        var model: [Int] = []
        for value in 0..<5_000 {
            if random.oneIn(3) {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            } else {
                queue.append(value)
                model.append(value)
            }
            if random.oneIn(50), !model.isEmpty {
                queue.replaceLast(-value)
                model[model.count - 1] = -value
            }
            if random.oneIn(500) {
                #expect(queue.removeAll().compactMap { $0 } == model)
                model = []
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
            #expect(queue.last == model.last)
            if random.oneIn(20) {
                let count = Int.random(in: 0...(model.count + 1), using: &random)
                #expect(queue.dropFirst(count) == Array(model.dropFirst(count)))
            }
        }
    }
}
