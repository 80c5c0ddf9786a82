// Fuzzes what reads addresses: paths, queries, and the pieces of messages that long polls bring in them.
import HearthCore
import HearthWire

/// The first byte says what the rest is: the target of a request, or the text of a path.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    if form & 1 == 0 {
        AddressFuzz.readTarget(Array(input.dropFirst()))
    } else {
        AddressFuzz.readPath(String(decoding: input.dropFirst(), as: UTF8.self))
    }
}

enum AddressFuzz {
    private static let uploadLimit = 2_000
    private static let place = tree(
        #"{"a": {"text": "hi", "time": 1}, "b": {".priority": 2, ".value": true}, "c": -0.5, "7": "x"}"#)

    private static func tree(_ json: String) -> Node {
        do throws(DraftError) {
            return try DraftReader.draft(Array(json.utf8)).node
        } catch {
            preconditionFailure("the fuzzer's own data is JSON: \(error)")
        }
    }

    /// A path that is read is written and read as the same, and no deeper than any may be.
    static func readPath(_ text: String) {
        do throws(KeyError) {
            let path = try Path(text)
            let again = try Path(path.description)
            precondition(again == path && again.description == path.description)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }

    static func readTarget(_ target: [UInt8]) {
        let text = Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var parser = HTTPRequestParser()
        do throws(HTTPParseError) {
            // The closure throws nothing of its own: the optimizer does not take typed throws there.
            let head = try text.withUnsafeBytes { AddressFuzz.head(in: $0, &parser) }.get()
            guard let head else { return }
            switch Route(head) {
            case .data: readCall(head)
            case .realtimePoll, .webSocket: readPoll(RealtimeParameters(head))
            default: break
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }

    private static func head(
        in text: UnsafeRawBufferPointer, _ parser: inout HTTPRequestParser
    ) -> Result<HTTPRequestHead?, HTTPParseError> {
        do throws(HTTPParseError) {
            return .success(try parser.next(in: text))
        } catch {
            return .failure(error)
        }
    }

    /// A query that is read can be asked of any child.
    private static func readCall(_ head: HTTPRequestHead) {
        do throws(RESTError) {
            let call = try RESTCall(head)
            precondition(call.location.path.depth <= Path.depthLimit)
            guard let query = call.query else { return }
            for child in place.children() {
                let position = query.position(of: child.node, key: child.key)
                _ = query.contains(position)
            }
        } catch {
            precondition(!error.text.isEmpty && (400...499).contains(error.status))
        }
    }

    /// Pieces are put together to messages, of which none is longer than it may be.
    private static func readPoll(_ parameters: RealtimeParameters) {
        guard let poll = RealtimePoll(parameters), case .poll(_, let segments) = poll else { return }
        var upload = RealtimeUpload(limit: uploadLimit)
        do throws(WebSocketError) {
            for segment in segments {
                for message in try upload.take(segment) {
                    precondition(message.count <= uploadLimit + 4)
                    precondition(String(validating: message, as: UTF8.self) != nil, "messages are UTF-8")
                }
                precondition(upload.heldByteCount <= uploadLimit / 3 * 4 + 4)
            }
        } catch {
            precondition(!error.reason.isEmpty)
        }
    }
}
