// Fuzzes the reader of JSON bodies and the drafts that are built from them, whole and in pieces.
import HearthCore
import HearthJSON

/// The first byte says whether the rest is a value or an update, and where it is cut in two.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    let body = Array(input.dropFirst())
    JSONFuzz.readTokens(body)
    if form & 1 == 0 {
        JSONFuzz.readValue(body, cutAt: Int(form >> 1))
    } else {
        JSONFuzz.readUpdate(body)
    }
}

enum JSONFuzz {
    private static let now: Int64 = 1_750_000_000_000

    /// Every text ends with `end` or a fault, after at most a token for each byte.
    static func readTokens(_ body: [UInt8]) {
        body.withUnsafeBytes { buffer in
            var reader = JSONReader()
            var tokenCount = 0
            while isMore(&reader, buffer) {
                tokenCount += 1
                precondition(tokenCount <= buffer.count)
            }
        }
    }

    private static func isMore(_ reader: inout JSONReader, _ buffer: UnsafeRawBufferPointer) -> Bool {
        do throws(JSONError) {
            let token = try reader.next(in: buffer, isFinal: true)
            precondition(token != .needsMore)
            return token != .end
        } catch {
            precondition(!error.description.isEmpty)
            return false
        }
    }

    /// Cut or not, a body is the same value or refused; what was read is written and read back as the same.
    static func readValue(_ body: [UInt8], cutAt place: Int) {
        let cut = min(place, body.count)
        let whole = draft([body])
        let pieces = draft([Array(body[..<cut]), Array(body[cut...])])
        precondition((whole == nil) == (pieces == nil))
        guard let whole, let pieces else { return }
        let node = whole.resolved(old: .empty, now: now)
        precondition(pieces.resolved(old: .empty, now: now) == node)
        precondition(node.invariantViolation() == nil)
        let written = NodeSerializer.bytes(of: node, .export)
        guard let again = draft([written]) else { preconditionFailure("what is written can be read") }
        precondition(again.resolved(old: .empty, now: now) == node)
    }

    private static func draft(_ pieces: [[UInt8]]) -> Draft? {
        var reader = DraftReader(at: .root)
        do throws(DraftError) {
            for piece in pieces.dropLast() {
                let early = try reader.read(piece, isFinal: false)
                precondition(early == nil)
            }
            return try reader.read(pieces[pieces.count - 1], isFinal: true)
        } catch {
            precondition(!error.description.isEmpty)
            return nil
        }
    }

    /// An update that is read can be applied.
    static func readUpdate(_ body: [UInt8]) {
        do throws(DraftError) {
            let changes = try UpdateReader.changes(body, at: .root)
            let edits = changes.map { Edit.put($0.path, $0.draft.resolved(old: .empty, now: now)) }
            precondition(Node.empty.applying(edits).invariantViolation() == nil)
        } catch {
            precondition(!error.description.isEmpty)
        }
    }
}
