// Reads texts in tests: whole or piece by piece, into tokens that no longer need the buffer.
import HearthJSON

/// A token, or the fault that ended the reading.
enum Read: Equatable {
    case beginObject, endObject, beginArray, endArray, null, end
    case key(String)
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case fault(JSONError)
}

/// Returns everything a reader yields for `pieces`, the fault included if there is one.
func read(_ pieces: [[UInt8]], limits: JSONLimits = JSONLimits()) -> [Read] {
    var reader = JSONReader(limits: limits)
    var unread: [UInt8] = []
    var tokens: [Read] = []
    let pieces = pieces.isEmpty ? [[]] : pieces
    for (index, piece) in pieces.enumerated() {
        unread += piece
        let isFinal = index == pieces.count - 1
        let goesOn = unread.withUnsafeBytes { advance(&reader, in: $0, isFinal: isFinal, &tokens) }
        guard goesOn else { break }
        unread.removeFirst(reader.discardConsumed())
    }
    return tokens
}

/// Returns everything a reader yields for `text`, given whole.
func read(_ text: String, limits: JSONLimits = JSONLimits()) -> [Read] {
    read([Array(text.utf8)], limits: limits)
}

/// Returns the fault of `text`, or nil if it is sound.
func fault(of text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
    fault(of: Array(text.utf8), limits: limits)
}

/// Returns the fault of `text`, or nil if it is sound.
func fault(of text: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    guard case .fault(let error) = read([text], limits: limits).last else { return nil }
    return error
}

/// Takes tokens until the reader needs more (true) or is through with the text (false).
private func advance(
    _ reader: inout JSONReader, in buffer: UnsafeRawBufferPointer, isFinal: Bool, _ tokens: inout [Read]
) -> Bool {
    while true {
        do throws(JSONError) {
            let token = try reader.next(in: buffer, isFinal: isFinal)
            guard token != .needsMore else { return true }
            tokens.append(Read(token, in: buffer))
            guard token != .end else { return false }
        } catch {
            tokens.append(.fault(error))
            return false
        }
    }
}

extension Read {
    /// - Precondition: `token` is not `needsMore`.
    init(_ token: JSONToken, in buffer: UnsafeRawBufferPointer) {
        switch token {
        case .beginObject: self = .beginObject
        case .endObject: self = .endObject
        case .beginArray: self = .beginArray
        case .endArray: self = .endArray
        case .key(let text): self = .key(text.string(in: buffer))
        case .string(let text): self = .string(text.string(in: buffer))
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .bool(let value): self = .bool(value)
        case .null: self = .null
        case .needsMore: preconditionFailure("nothing was read")
        case .end: self = .end
        }
    }
}
