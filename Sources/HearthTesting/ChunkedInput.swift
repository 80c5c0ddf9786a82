// A parser must not care how its bytes were cut up on the way: this feeds it the same input in every manner.

/// Says in which manner of feeding a decoder gave something else than expected.
public struct ChunkingFailure: Error, CustomStringConvertible {
    /// How the input was cut, for instance `in two pieces, cut after byte 17`.
    public let feeding: String
    /// What should have come out, and what did.
    public let difference: String

    /// One sentence with the manner of feeding and the difference.
    public var description: String { "fed \(feeding): \(difference)" }
}

/// Checks that a decoder yields `expected` for `input` however the input arrives.
///
/// The input is fed whole, byte by byte, cut in two at every byte (at 512 random places where it is longer),
/// in random pieces with empty ones between, and, with `copies` above 1, that many times in a row: in one
/// piece, byte by byte and in random pieces.
///
/// - Parameters:
///   - copies: 1 for input after which a decoder takes no more, such as a fault or an end of stream.
///   - seed: where the random pieces come from; the failure's text repeats it.
///   - decode: makes a fresh decoder, feeds it the pieces one after the other and returns everything it
///     yielded, faults included as values.
/// - Throws: `ChunkingFailure` for the first manner that differs, and whatever `decode` throws.
/// - Complexity: O(n) decodings of n bytes up to 512 bytes, some 540 decodings beyond.
public func verifyChunked<Unit: Equatable>(
    _ input: [UInt8], yields expected: [Unit], copies: Int = 3, seed: UInt64 = 1,
    decode: (_ pieces: [[UInt8]]) throws -> [Unit]
) throws {
    var random = SeededRandom(seed: seed)
    try check("whole", [input], expected, decode)
    try check("byte by byte", input.map { [$0] }, expected, decode)
    for cut in cuts(of: input, &random) {
        let pieces = [Array(input[..<cut]), Array(input[cut...])]
        try check("in two pieces, cut after byte \(cut)", pieces, expected, decode)
    }
    for round in 1...8 {
        let pieces = randomPieces(of: input, &random)
        try check("in random pieces, seed \(seed), round \(round)", pieces, expected, decode)
    }
    guard copies > 1 else { return }
    let many = Array(repeatElement(input, count: copies).joined())
    let expectedOfMany = Array(repeatElement(expected, count: copies).joined())
    try check("\(copies) at once", [many], expectedOfMany, decode)
    try check("\(copies) in a row, byte by byte", many.map { [$0] }, expectedOfMany, decode)
    for round in 1...8 {
        let pieces = randomPieces(of: many, &random)
        let feeding = "\(copies) in a row in random pieces, seed \(seed), round \(round)"
        try check(feeding, pieces, expectedOfMany, decode)
    }
}

private func check<Unit: Equatable>(
    _ feeding: String, _ pieces: [[UInt8]], _ expected: [Unit], _ decode: ([[UInt8]]) throws -> [Unit]
) throws {
    let actual = try decode(pieces)
    guard actual != expected else { return }
    let place = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let index = place ?? min(actual.count, expected.count)
    let wanted = index < expected.count ? "\(expected[index])" : "nothing more"
    let came = index < actual.count ? "\(actual[index])" : "nothing more"
    throw ChunkingFailure(
        feeding: feeding,
        difference: "result \(index + 1) should be \(wanted), but \(came) came "
            + "(\(expected.count) expected, \(actual.count) in all)")
}

private func cuts(of input: [UInt8], _ random: inout SeededRandom) -> [Int] {
    guard input.count > 1 else { return [] }
    guard input.count > 512 else { return Array(1..<input.count) }
    return (0..<512).map { _ in Int.random(in: 1..<input.count, using: &random) }
}

/// Pieces of 0 to some hundred bytes, mostly short ones.
private func randomPieces(of input: [UInt8], _ random: inout SeededRandom) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < input.count {
        let longest = random.oneIn(4) ? 200 : 8
        let length = min(Int.random(in: 0...longest, using: &random), input.count - start)
        pieces.append(Array(input[start..<start + length]))
        start += length
    }
    return pieces
}
