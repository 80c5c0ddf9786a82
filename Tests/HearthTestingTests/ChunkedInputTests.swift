// The verifier must let a sound parser pass and catch each of the classic faults.
import HearthTesting
import Testing

@Suite("The chunk verifier")
struct ChunkedInputTests {
    /// Yields each line without its end; keeps an unfinished one, as a parser should.
    private func soundLines(_ pieces: [[UInt8]]) -> [String] {
        var pending: [UInt8] = []
        var lines: [String] = []
        for byte in pieces.joined() {
            if byte == UInt8(ascii: "\n") {
                lines.append(String(decoding: pending, as: UTF8.self))
                pending = []
            } else {
                pending.append(byte)
            }
        }
        return lines
    }

    @Test("passes a parser that does not care about pieces")
    func passes() throws {
        try verifyChunked(Array("ann\nbob\n".utf8), yields: ["ann", "bob"], decode: soundLines)
    }

    @Test("passes long input, cut at random places")
    func passesLongInput() throws {
        let line = String(repeating: "x", count: 2_000)
        try verifyChunked(Array("\(line)\n".utf8), yields: [line], decode: soundLines)
    }

    @Test("catches a parser that loses what a piece left unfinished")
    func catchesForgetting() {
        #expect(throws: ChunkingFailure.self) {
            try verifyChunked(Array("ann\nbob\n".utf8), yields: ["ann", "bob"]) { pieces in
                pieces.flatMap { soundLines([$0]) }
            }
        }
    }

    @Test("catches a parser that takes only the first of many in a piece")
    func catchesStoppingEarly() {
        #expect(throws: ChunkingFailure.self) {
            try verifyChunked(Array("ann\n".utf8), yields: ["ann"]) { pieces in
                var lines: [String] = []
                var fed: [UInt8] = []
                for piece in pieces {
                    fed += piece
                    lines += soundLines([fed]).prefix(1)
                    if fed.last == UInt8(ascii: "\n") { fed = [] }
                }
                return lines
            }
        }
    }

    @Test("catches a parser that stumbles over an empty piece")
    func catchesEmptyPieces() {
        #expect(throws: ChunkingFailure.self) {
            try verifyChunked(Array("ann\nbob\n".utf8), yields: ["ann", "bob"]) { pieces in
                soundLines(Array(pieces.prefix { !$0.isEmpty }))
            }
        }
    }

    @Test("says how the input was cut and what differed")
    func explains() throws {
        let failure = try #require(throws: ChunkingFailure.self) {
            try verifyChunked(Array("ann\n".utf8), yields: ["ann", "bob"], decode: soundLines)
        }
        #expect(
            failure.description
                == "fed whole: result 2 should be bob, but nothing more came (2 expected, 1 in all)")
    }
}
