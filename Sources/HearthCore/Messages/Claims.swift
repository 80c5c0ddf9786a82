// What a token says about its bearer: JSON of any shape, kept apart from the tree.
public import HearthJSON

/// A JSON value as a token carries it; unlike a node it may have any names, nulls and lists.
public indirect enum Claims: Hashable, Sendable {
    /// Nothing, or JSON's null: rules do not tell them apart.
    case null
    /// A Boolean, a number or a text.
    case leaf(Leaf)
    /// A list, in order.
    case list([Claims])
    /// Named values.
    case object([String: Claims])

    /// The value of that name; null if there is none, and of everything that has no names.
    ///
    /// - Complexity: O(1).
    public func member(_ name: String) -> Claims {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// The element at `index`, from 0; null if there is none, and of everything that is no list.
    public func element(_ index: Int) -> Claims {
        guard case .list(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    /// The text, nil if this is something else.
    public var text: String? {
        guard case .leaf(.string(let text)) = self else { return nil }
        return text
    }

    /// Whether this is nothing.
    public var isNull: Bool { self == .null }
}

/// Why a text is not what tokens carry.
public enum ClaimsError: Error, Equatable, Sendable {
    /// It is no JSON, or nested too deeply.
    case json(JSONError)
    /// A name is written twice in one object: two readers could take different ones.
    case doubledName(at: JSONPlace)
}

extension Claims {
    /// How many levels claims may have.
    public static let depthLimit = 32

    /// Reads JSON of at most `depthLimit` levels.
    ///
    /// - Throws: the first fault; a doubled name is one.
    public init(reading text: [UInt8]) throws(ClaimsError) {
        let result = text.withUnsafeBytes(ClaimsReader.read)
        self = try result.get()
    }
}

/// Builds claims from tokens.
private struct ClaimsReader {
    private var reader = JSONReader(limits: JSONLimits(depth: Claims.depthLimit))
    private let buffer: UnsafeRawBufferPointer

    static func read(_ buffer: UnsafeRawBufferPointer) -> Result<Claims, ClaimsError> {
        var reader = ClaimsReader(buffer: buffer)
        do throws(ClaimsError) {
            let claims = try reader.value(try reader.next())
            _ = try reader.next()
            return .success(claims)
        } catch {
            return .failure(error)
        }
    }

    private init(buffer: UnsafeRawBufferPointer) {
        self.buffer = buffer
    }

    private mutating func next() throws(ClaimsError) -> JSONToken {
        do throws(JSONError) {
            return try reader.next(in: buffer, isFinal: true)
        } catch {
            throw .json(error)
        }
    }

    /// The value that begins with `token`; the reader bounds the recursion.
    private mutating func value(_ token: JSONToken) throws(ClaimsError) -> Claims {
        switch token {
        case .beginObject: try object()
        case .beginArray: try list()
        case .string(let text): .leaf(.string(text.string(in: buffer)))
        case .integer(let value): .leaf(.integer(value))
        case .double(let value): .leaf(Leaf(number: value))
        case .bool(let value): .leaf(.bool(value))
        case .null: .null
        case .endObject, .endArray, .key, .needsMore, .end:
            preconditionFailure("the reader yields values where values belong")
        }
    }

    private mutating func list() throws(ClaimsError) -> Claims {
        var elements: [Claims] = []
        while true {
            let token = try next()
            if token == .endArray { return .list(elements) }
            elements.append(try value(token))
        }
    }

    private mutating func object() throws(ClaimsError) -> Claims {
        var members: [String: Claims] = [:]
        while case .key(let text) = try next() {
            let name = text.string(in: buffer)
            guard members[name] == nil else { throw .doubledName(at: reader.lastTokenPlace) }
            members[name] = try value(try next())
        }
        return .object(members)
    }
}
