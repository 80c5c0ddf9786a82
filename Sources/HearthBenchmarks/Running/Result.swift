// A result as its line.

/// What came out at one size.
struct Result {
    /// A median with its size, to compare others with.
    struct Scale {
        let size: Int
        let median: Double
    }

    let benchmark: Benchmark
    let size: Int
    let work: Work
    /// Nanoseconds of CPU time per operation.
    let median: Double
    let best: Double
    let checksum: UInt64
    let rivalMedian: Double?
    /// That of the smallest size, nil if this is it.
    let smallest: Scale?

    var scale: Scale { Scale(size: size, median: median) }

    /// One line, columns padded:
    ///
    ///     nodes/lookup  size 10000  81.3 ns/op  best 79.9  1.42 × size 100  checksum 00003d1f0a…
    var line: String {
        var parts = [
            benchmark.name.padded(to: 28), "size \(size)".padded(to: 13),
            "\(median.text(places: 1)) ns/op".padded(to: 18), "best \(best.text(places: 1))".padded(to: 17),
        ]
        if work.byteCount > 0 { parts.append("\(rate.text(places: 1)) MB/s".padded(to: 14)) }
        if let smallest {
            parts.append(
                ratio(median / smallest.median, limit: benchmark.growthLimit, "size \(smallest.size)"))
        }
        if let rival = benchmark.rival, let rivalMedian {
            parts.append(ratio(median / rivalMedian, limit: rival.limit, rival.name))
        }
        parts.append("checksum \(hexadecimal)")
        return parts.joined(separator: " ")
    }

    private var rate: Double {
        Double(work.byteCount) / (median * Double(work.operationCount)) * 1_000
    }

    private func ratio(_ ratio: Double, limit: Double?, _ other: String) -> String {
        let isOver = limit.map { ratio > $0 } ?? false
        let bound = isOver ? " (over \((limit ?? 0).text(places: 1)))" : ""
        return "\(ratio.text(places: 2)) × \(other)\(bound)".padded(to: 18)
    }

    private var hexadecimal: String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Double {
    /// With so many places after the point; for quantities that are not negative and below 10^12.
    func text(places: Int) -> String {
        let scale = (0..<places).reduce(1) { product, _ in product * 10 }
        let units = Int64((self * Double(scale)).rounded())
        guard places > 0 else { return String(units) }
        let fraction = String(units % Int64(scale))
        return "\(units / Int64(scale))." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
